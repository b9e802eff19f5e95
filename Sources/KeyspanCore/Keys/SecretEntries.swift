/// The entries that are secrets, because one of the keys that read them is marked as such.
///
/// In a file with nested names an entry can be inside of a dictionary that another key reads.
package struct SecretEntries {
    private var names: Set<UTF8Text> = []
    private var namesAround: Set<UTF8Text> = []
    private var dictionaries: Set<UTF8Text> = []

    /// Finds the entries of keys.
    package init(of keys: [Defaults.AnyKey]) {
        for key in keys where key.isSecret {
            for name in key.entryNames {
                names.insert(name)
                namesAround.formUnion(name.beginningsBeforeDots)
                if Self.mayBeDictionary(key) { dictionaries.insert(name) }
            }
        }
    }

    /// The key, which shows its value in no error if that is a secret, may have one in it, or is a part of one.
    package func concealed(_ key: Defaults.AnyKey) -> Defaults.AnyKey {
        !key.isSecret && haveOne(of: key) ? key.concealedVariant : key
    }

    /// Whether a key has an entry of a secret key, may have one in it, or is a part of one.
    package func haveOne(of key: Defaults.AnyKey) -> Bool {
        key.entryNames.contains { name in
            names.contains(name) || Self.mayBeDictionary(key) && namesAround.contains(name)
                || name.beginningsBeforeDots.contains(where: dictionaries.contains)
        }
    }

    private static func mayBeDictionary(_ key: Defaults.AnyKey) -> Bool { key.storedKind == .other }
}
