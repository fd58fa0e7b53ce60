"""The playground: a page that assembles, runs and prices what is typed, by neonsim's own Python in a worker."""
