extension Defaults.Problem {
    /// How much a problem matters; a log has a level for each.
    public enum Severity: String, Sendable, Hashable, CaseIterable, Comparable {
        /// Something to know: nothing was lost, and all values are in effect.
        case notice
        /// Something that a person wrote has no effect, or a change was overwritten; the store works.
        case warning
        /// A value could not be read or written, or a store cannot be used or saved.
        case error

        public static func < (left: Severity, right: Severity) -> Bool { left.rank < right.rank }

        private var rank: Int {
            switch self {
            case .notice: 0
            case .warning: 1
            case .error: 2
            }
        }
    }

    /// How much the problem matters.
    ///
    /// | Severity | Problems |
    /// | --- | --- |
    /// | ``Severity/error`` | `unreadable`, `writeFailed`, `storeFailed`, `storeUnavailable`, and a secret that is not taken as a value |
    /// | ``Severity/warning`` | `changeOverwritten`, `unknownName`, and a notice of a version or of values that do not take effect |
    /// | ``Severity/notice`` | every other `storeNotice`, such as a recovered file, polling, or a journal that ends early |
    public var severity: Severity {
        switch self {
        case .unreadable, .writeFailed, .storeFailed, .storeUnavailable: .error
        case .changeOverwritten, .unknownName: .warning
        case .storeNotice(_, let notice): (notice as? any ProblemDetails)?.severity ?? .notice
        }
    }

    /// The details of the problem by name, for a structured log; never a value of a key.
    ///
    /// | Name | Content |
    /// | --- | --- |
    /// | `problem` | the case, such as `storeUnavailable` |
    /// | `store` | the name of the store |
    /// | `key` | the name of the key |
    /// | `otherKeys` | the names of the other keys of a batch that failed, in quotes and at most five |
    /// | `unsavedKeys` | the names of the keys that a save in the background left in memory only, in quotes and at most five |
    /// | `name` | the name that no key has |
    /// | `kind` | the kind of a notice or of an unknown name, such as `rejected` |
    /// | `code` | what happened in a store, such as `notDurable` |
    /// | `step` | the step of the work on a file that failed, such as `parse` |
    /// | `errno` | the number of the system's error |
    /// | `path` | the file, the folder, or the part of a value |
    /// | `source` | the place of the value or of the name: the layer, and the variable or the argument |
    /// | `line`, `column` | the place in a file, from 1 |
    ///
    /// Only `problem` is always there. Names may be added.
    public var fields: [String: String] {
        var fields = ["problem": caseName]
        switch self {
        case .unreadable(let error):
            fields.add(error)
        case .writeFailed(let error):
            fields.add(error)
        case .changeOverwritten(let key, let store):
            fields["key"] = key
            fields["store"] = store
        case .unknownName(let name):
            fields.add(name)
        case .storeFailed(let error):
            fields.add(error)
        case .storeUnavailable(let name, let cause):
            fields["store"] = name
            fields.add(cause)
        case .storeNotice(let name, let notice):
            fields["store"] = name
            fields.add(notice)
        }
        return fields
    }

    private var caseName: String {
        switch self {
        case .unreadable: "unreadable"
        case .writeFailed: "writeFailed"
        case .changeOverwritten: "changeOverwritten"
        case .unknownName: "unknownName"
        case .storeFailed: "storeFailed"
        case .storeUnavailable: "storeUnavailable"
        case .storeNotice: "storeNotice"
        }
    }
}

/// What an error or a notice says about itself to a log, besides its sentence.
///
/// The causes of ``Defaults/Problem/storeUnavailable(name:cause:)`` and the notices of
/// ``Defaults/Problem/storeNotice(name:notice:)`` may conform.
@_spi(StoreAuthors) public protocol ProblemDetails: Sendable {
    /// How much it matters as a notice.
    var severity: Defaults.Problem.Severity { get }
    /// The details by the names of ``Defaults/Problem/fields``; never a value of a key.
    var fields: [String: String] { get }
}

extension [String: String] {
    /// Adds the fields of an error or a notice that has any; those that are there already stay.
    @_spi(StoreAuthors) public mutating func add(_ details: Any?) {
        guard let details = details as? any ProblemDetails else { return }
        merge(details.fields) { present, _ in present }
    }

    /// Adds the place of a value or a name.
    fileprivate mutating func add(_ provenance: Provenance?) {
        guard let provenance else { return }
        self["source"] = provenance.description
        if let line = provenance.sources.first?.line { self["line"] = "\(line)" }
    }
}

@_spi(StoreAuthors) extension Defaults.ReadError: ProblemDetails {
    public var severity: Defaults.Problem.Severity { .error }

    public var fields: [String: String] {
        var fields = ["key": key, "store": store]
        let part = "\(cause.path)"
        if !part.isEmpty { fields["path"] = part }
        fields.add(provenance)
        return fields
    }
}

@_spi(StoreAuthors) extension Defaults.WriteError: ProblemDetails {
    public var severity: Defaults.Problem.Severity { .error }

    public var fields: [String: String] {
        var fields = ["store": store]
        if !key.isEmpty { fields["key"] = key }
        switch cause {
        case .encoding(let error):
            fields["code"] = "encoding"
            let part = "\(error.path)"
            if !part.isEmpty { fields["path"] = part }
        case .store(let error): fields.add(error)
        case .invalid: fields["code"] = "invalid"
        }
        return fields
    }
}

@_spi(StoreAuthors) extension Defaults.UnknownName: ProblemDetails {
    public var severity: Defaults.Problem.Severity { .warning }

    public var fields: [String: String] {
        var fields = ["name": name, "kind": kind.rawValue]
        fields.add(source)
        return fields
    }
}

@_spi(StoreAuthors) extension StoreError: ProblemDetails {
    public var severity: Defaults.Problem.Severity { .error }

    public var fields: [String: String] {
        var fields = ["store": store, "code": code.description]
        fields["key"] = key
        if !otherKeys.isEmpty { fields["otherKeys"] = otherKeys.shortList() }
        fields.add(underlying)
        return fields
    }
}
