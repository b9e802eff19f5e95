import Keyspan

/// The one thing that a module written for Defaults gets from elsewhere: a store where it had a `UserDefaults` suite.
let trailSuite = InMemoryStore(name: "trails")
