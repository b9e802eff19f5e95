import Foundation
@_spi(StoreAuthors) import KeyspanCore

/// The registered defaults of the process as a store: the lowest layer of each ``UserDefaultsStore``.
///
/// Defaults that are registered here are also registered with `UserDefaults`, so that code without keys reads them.
final class RegisteredDefaults: RegisteringStore, MirrorReadingStore {
    /// The registered defaults of this process.
    static var ofProcess: RegisteredDefaults { opened.published }

    private static let opened = OpenedOnce { RegisteredDefaults(of: .ofProcess) }

    let name = "registered defaults"

    let source: RegistrationSource
    let mirror: MirroredTable

    /// Makes a store of a registration domain.
    init(of source: RegistrationSource) {
        self.source = source
        mirror = MirroredTable(of: source)
        mirror.refresh(.all)
    }

    func register(_ values: PropertyListTable) throws(StoreError) {
        var batch = PropertyListBatch()
        for (key, value) in values {
            batch.set(value, forKey: key)
        }
        try mirror.apply(batch, store: name)
        #if !canImport(ObjectiveC)
        // Another thread may be writing to the source, and code without keys must find the defaults when this returns. On Apple's
        // systems that thread may be calling an observer of `UserDefaults` that waits for a key declared here.
        mirror.settle()
        #endif
    }

    func apply(_ batch: PropertyListBatch) throws(StoreError) {
        throw .readOnly(batch, store: name, remedy: "use register(_:), or write to another layer")
    }

    func synchronize() {}
}

/// The registration domain of `UserDefaults`, which all objects of a process share.
struct RegistrationSource: MirroredSource {
    /// The registered objects.
    let objects: @Sendable () -> [String: Any]

    private let defaults: @Sendable () -> UserDefaults
    private let reports = ForeignValueReports(store: "registered defaults")

    /// Makes a source.
    ///
    /// - Parameters:
    ///   - defaults: Returns a `UserDefaults`.
    ///   - objects: Returns all registered objects.
    init(
        of defaults: @escaping @Sendable () -> UserDefaults,
        _ objects: @escaping @Sendable () -> [String: Any]
    ) {
        self.defaults = defaults
        self.objects = objects
    }

    /// The registered default of a key, as `UserDefaults` has it now.
    func value(forKey key: String) -> PropertyListValue? {
        objects()[key].flatMap { try? FoundationValue.value($0) }
    }

    func read(_ keys: ObservedKeys, over copy: PropertyListTable) -> TextDictionary<PropertyListValue?> {
        var values: TextDictionary<PropertyListValue?> = [:]
        var objects: [String: Any]?
        switch keys {
        case .named(let names):
            for name in names.lazy.map(\.wrappedValue) {
                // A registered default shows unless something else does, and most keys of a program show nothing.
                let isShown = defaults().object(forKey: name) != nil
                if isShown { objects = objects ?? self.objects() }
                values[name] = .some(isShown ? objects?[name].flatMap { reports.value(of: $0, forKey: name) } : nil)
            }
        case .all:
            for (key, _) in copy { values[key] = .some(nil) }
            for (key, object) in self.objects() { values[key] = .some(reports.value(of: object, forKey: key)) }
        }
        return values
    }

    func perform(_ batch: PropertyListBatch, comparingWith copy: PropertyListTable?) {
        var registered: [String: Any] = [:]
        for case .set(let value, let key) in batch.operations {
            registered[key] = FoundationValue.object(value)
        }
        if copy != nil {
            let present = objects()
            registered = registered.filter { key, object in
                guard let present = present[key] else { return true }
                return (try? FoundationValue.value(present) == FoundationValue.value(object)) != true
            }
        }
        if !registered.isEmpty { defaults().register(defaults: registered) }
    }
}
