import Foundation
@_spi(StoreAuthors) import KeyspanCore

/// The values that a `UserDefaults` shows and that are neither the program's own nor registered: a layer above the own values, with
/// those of an administrator, or below them, with those of the system, such as the preferred languages.
///
/// The layer has only keys that someone has read, because the others are not the program's. ``MirroredDomain`` makes it read them.
final class SystemDomain: ReadOnlyStore, MirrorReadingStore {
    enum Place {
        case aboveOwnValues
        case belowOwnValues
    }

    let name: String
    let mirror: MirroredTable

    var remedyForWrite: String { "write to another layer" }

    /// Makes a layer without values.
    init(_ place: Place, of source: UserDefaultsSource) {
        name = place == .aboveOwnValues ? "managed UserDefaults" : "UserDefaults of the system"
        mirror = MirroredTable(of: SystemSource(place, of: source))
    }
}

/// The values above or below the own ones of a `UserDefaults`, of the keys that were asked for.
private final class SystemSource: MirroredSource {
    private let place: SystemDomain.Place
    private let source: UserDefaultsSource
    private let asked = Locked<Set<UTF8Text>>([])

    init(_ place: SystemDomain.Place, of source: UserDefaultsSource) {
        self.place = place
        self.source = source
    }

    func read(_ keys: ObservedKeys, over copy: PropertyListTable) -> TextDictionary<PropertyListValue?> {
        var look = DomainLook(source)
        let names = asked.withLock { asked in
            guard case .named(let names) = keys else { return asked }
            if asked.count < MirroredDomain.followedLimit { asked.formUnion(names) }
            return names
        }
        return names.reduce(into: [:]) { $0[$1.wrappedValue] = .some(value(forKey: $1.wrappedValue, &look)) }
    }

    private func value(forKey key: String, _ look: inout DomainLook) -> PropertyListValue? {
        let defaults = source.reference.defaults
        // Most keys of a program are not managed, and show nothing at first, or the default that is registered for them.
        if place == .aboveOwnValues, !defaults.objectIsForced(forKey: key) { return nil }
        guard let object = defaults.object(forKey: key) else { return nil }
        let registered = source.registered.mirror.contents.value(forKey: key)
        if place == .belowOwnValues, (try? FoundationValue.value(object)) == registered { return nil }
        switch (place, look.value(forKey: key, copy: nil)) {
        case (.aboveOwnValues, .hidden(let managed, _)): return managed
        case (.belowOwnValues, .below(let value)): return look.isRegistered(value, forKey: key) ? nil : value
        default: return nil
        }
    }

    // Nothing writes to the layer.
    func perform(_ batch: PropertyListBatch, comparingWith copy: PropertyListTable?) {}
}
