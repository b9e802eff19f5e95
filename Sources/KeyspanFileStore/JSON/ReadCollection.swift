import KeyspanCore

/// An array or object that was read, in the two ways in which it may be meant.
///
/// Which one it is depends on the object around it, which may go on with more members: `{"$dictionary": {…}}` takes the
/// inner object literally, `{"$dictionary": {…}, "other": 1}` is no tag and interprets it.
struct ReadCollection {
    /// A value and how many collections are nested in it, itself included.
    struct Reading {
        let value: PropertyListValue
        let nesting: Int
    }

    /// With a tagged form taken for the value that it stands for.
    let interpreted: Reading

    /// As the dictionary that is written there, or `nil` if it is an array.
    let literal: Reading?

    /// How many levels it has at least, whichever way it is meant.
    var leastNesting: Int { min(interpreted.nesting, literal?.nesting ?? interpreted.nesting) }
}
