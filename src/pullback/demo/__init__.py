"""The demonstration: a Gaussian mixture fitted to real data with native gradients."""
