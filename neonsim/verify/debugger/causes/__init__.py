"""What was done wrongly, where a third-party runtime's bytes of a layer differ: known causes, each tried on all of
them.

    search     `causes_of`: those that make every byte
    products   convolutions, deconvolutions and fully connected layers with one thing done wrongly
    others     sums, products, means, functions, quantisation, softmax, padding, likewise
    ending     roundings, scales, zero points and limits, right ones and wrong ones

A cause is a variant of the definition. It is named only where it gives all bytes of the layer, from the inputs that the
layer had; so several may be named, whose bytes are equal, or none.
"""

from __future__ import annotations

from neonsim.verify.debugger.causes.search import FEW, Cause, Make, causes_of, too_large, variants_of

__all__ = ["FEW", "Cause", "Make", "causes_of", "too_large", "variants_of"]
