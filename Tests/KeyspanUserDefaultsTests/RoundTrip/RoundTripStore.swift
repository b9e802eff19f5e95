import Foundation
@_spi(StoreAuthors) import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import KeyspanUserDefaults

/// The stores in which every value has to come back as it was written.
enum RoundTripStore: String, CaseIterable, Sendable {
    case memory, json, jsonOfTexts, jsonInOtherForm, jsonReadAsTexts, xml, binary, readableBinary, layered
    #if !canImport(Darwin)
    case userDefaults
    #endif

    /// Writes with one store, and answers another one that has read what the first one saved, if it saves.
    func reopened(in folder: TemporaryFolder, after write: (any PropertyListStore) throws -> Void) throws
        -> any PropertyListStore
    {
        let store = try open(folder, isFirst: true)
        try write(store)
        try store.synchronize()
        if self == .jsonInOtherForm || self == .jsonReadAsTexts {
            try folder.write(JSONText.encode(store.snapshot()), to: "settings.json")
        }
        return self == .memory ? InMemoryStore(store.snapshot()) : try open(folder, isFirst: false)
    }

    /// Whether a value has the form in which it would be written anew.
    var keepsForms: Bool { self != .jsonReadAsTexts }

    private func open(_ folder: TemporaryFolder, isFirst: Bool) throws -> any PropertyListStore {
        func json(_ form: Defaults.ValueForm) throws -> JSONFileStore {
            try JSONFileStore(path: folder.path("settings.json"), options: FileStoreOptions(valueForm: form))
        }
        switch self {
        case .memory: return InMemoryStore()
        case .json: return try json(.readable)
        case .jsonOfTexts: return try json(.jsonText)
        case .jsonInOtherForm: return isFirst ? InMemoryStore() : try json(.readable)
        case .jsonReadAsTexts: return isFirst ? ReadableMemoryStore() : try json(.jsonText)
        case .xml: return try PropertyListFileStore(path: folder.path("settings.plist"), format: .xml)
        case .readableBinary:
            let options = FileStoreOptions(valueForm: .readable)
            return try PropertyListFileStore(path: folder.path("settings.plist"), format: .binary, options: options)
        case .binary: return try PropertyListFileStore(path: folder.path("settings.plist"), format: .binary)
        case .layered:
            return LayeredStore(
                [
                    .init("arguments", LaunchArgumentsStore([])),
                    .init("file", try JSONFileStore(path: folder.path("settings.json")), isWritable: true),
                    .init("defaults", InMemoryStore()),
                ],
                dictionaries: .merged
            )
        #if !canImport(Darwin)
        case .userDefaults: return try UserDefaultsStore(suiteName: Suites.name(of: folder))
        #endif
        }
    }

    /// Whether the store has a form for a text; one that has none has to refuse it.
    func holds(_ text: String) -> Bool {
        // XML 1.0, section 2.2: neither escaped nor in any other way can a document have other characters.
        self != .xml
            || text.unicodeScalars.allSatisfy { scalar in
                switch scalar.value {
                case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
                default: false
                }
            }
    }

    /// Whether the store rounds a date in a value: to whole seconds, which is what XML has.
    func rounds(_ value: PropertyListValue) -> Bool {
        switch value {
        case .date(let date):
            self == .xml
                && (date.timeIntervalSinceReferenceDate.rounded() != date.timeIntervalSinceReferenceDate
                    || date.timeIntervalSinceReferenceDate.bitPattern == (-0.0 as Double).bitPattern)
        case .array(let elements): elements.contains { rounds($0) }
        case .dictionary(let entries): entries.values.contains { rounds($0) }
        case .boolean, .integer, .real, .string, .data: false
        }
    }

    /// Whether the store has a form for all texts in a value.
    func holds(_ value: PropertyListValue) -> Bool {
        switch value {
        case .string(let text): holds(text)
        case .array(let elements): elements.allSatisfy { holds($0) }
        case .dictionary(let entries): entries.allSatisfy { holds($0.key) && holds($0.value) }
        case .boolean, .integer, .real, .date, .data: true
        }
    }
}
