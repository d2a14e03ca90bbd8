"""Parts under another licence, kept out of this package and out of this process.

An extension is a folder of weights that its publisher signed and the user asked for. :mod:`cuakit.extension.install` puts it
in place, :mod:`cuakit.extension.store` checks it again whenever it is loaded, and :mod:`cuakit.extension.client` runs it in a
process of its own that has no network. Nothing here downloads by itself.
"""
