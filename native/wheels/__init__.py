"""How neonsim becomes packages: the page for a package index, and a wheel for each kind of machine (`make wheels`)."""
