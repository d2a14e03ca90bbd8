from .core.action import Action as Action
