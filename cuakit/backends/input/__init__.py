"""Raw injection, one module per way in. Protected: only :mod:`cuakit.act` may import it, after the lease was paid."""
