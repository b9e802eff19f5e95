// Declarations of keys that are mistakes; see .ci/check-diagnostics.
import Foundation
import Keyspan

struct Place: Hashable {}

enum Theme: String, Defaults.Serializable {
    case light, dark
}

func declare() {
    // A value that is not optional has a default.
    _ = Defaults.Key<Int>("count")  // error: a value without a default
    _ = Defaults.Key<[String]>("names")  // error: a value without a default
    _ = Defaults.Key<[Theme: Int]>("counts")  // error: a value without a default
    _ = Defaults.Key<Theme>("theme", iCloud: true)  // error: a value without a default

    // The names of a dictionary in a store are text.
    _ = Defaults.Key<[Place: Int]>("counts", default: [:])  // error: a dictionary's keys need a text or raw value
    _ = Defaults.Key<[Place: Int]?>("counts")  // error: a dictionary's keys need a text or raw value

    // A store expresses a missing value in one way only.
    _ = Defaults.Key<Int??>("count")  // warning: a store cannot tell 'nil' from an optional that has 'nil'

    // What keys cannot have at all.
    _ = Defaults.Key<Place>("place", default: Place())  // error: 'Place' conform to 'Defaults.Serializable'
    _ = Defaults.Key<Place?>("place")  // error: 'Place' conform to 'Defaults.Serializable'
    _ = Defaults.Key<[Place]>("places", default: [])  // error: 'Place' conform to 'Defaults.Serializable'
    _ = Defaults.Key<Any>("any", default: 1)  // error: no store holds 'Any'
    _ = Defaults.Key<Any?>("any")  // error: no store holds 'Any'
    _ = Defaults.Key<[Any]>("any", default: [])  // error: no store holds 'Any'
    _ = Defaults.Key<[Any]?>("any")  // error: no store holds 'Any'
    _ = Defaults.Key<[String: Any]>("any", default: [:])  // error: its values are 'Serializable'
    _ = Defaults.Key<[Int: Any]?>("any")  // error: its values are 'Serializable'
    _ = Defaults.Key<Int>("count", default: "none")  // error: no exact matches in call to initializer

    // The valid declarations, in all forms.
    _ = Defaults.Key<Int?>("count")
    _ = Defaults.Key<[Theme: Int]>("counts", default: [:])
    _ = Defaults.Key<[Theme: Int]>("counts") { [.dark: 1] }
    _ = Defaults.Key<[Theme: Int]?>("counts")
    _ = Defaults.Key<[UUID: Int]>("counts", default: [:])
    _ = Defaults.Key<[UUID: Int]>("counts") { [:] }
    _ = Defaults.Key<[UUID: Int]?>("counts", iCloud: true)
    _ = Defaults.Key<[Int: String]>("names", default: [7: "seven"])
    _ = Defaults.Key<[String: [Theme]]>("themes", default: ["a": [.dark]])
}
