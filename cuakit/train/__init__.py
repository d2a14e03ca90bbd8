"""Training of the networks that ship in the wheel. Needs the extra ``train``; nothing here is used while perceiving."""
