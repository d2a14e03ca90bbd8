"""Canvas applications, one module each, behind one contract: :class:`cuakit.plan.domain.Domain`."""
