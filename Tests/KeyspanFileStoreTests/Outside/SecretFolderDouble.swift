import KeyspanCore
@_spi(StoreAuthors) import KeyspanFileStore
import KeyspanTestSupport
import Testing

/// A store of a folder of secrets with its own file system, timer and watcher.
final class SecretFolderDouble: Sendable {
    let store: SecretFolderStore
    let fileSystem = FaultyFileSystem()
    private let timer = ManualWorkQueue()
    private let watcher = ManualFileWatcher()
    private let reports = Recorder<FileReport>()

    init(
        path: String,
        keys: [String] = [],
        checking checked: [Defaults.AnyKey] = [],
        unknownNames: Defaults.UnknownNames = .areIgnored,
        alsoKnown: [String] = [],
        isOptional: Bool = false,
        allowsWorldReadable: Bool = false,
        fault: FaultyFileSystem.Fault = .none
    ) throws {
        fileSystem.inject(fault)
        store = try SecretFolderStore(
            path: path,
            names: VariableNames(
                prefix: "",
                keys: keys.map { Defaults.Key<String>($0, default: "") } + checked,
                spelling: .camelCase
            ),
            checking: checked,
            unknownNames: unknownNames,
            alsoKnown: alsoKnown,
            isOptional: isOptional,
            allowsWorldReadable: allowsWorldReadable,
            seams: FileStoreSeams(fileSystem: fileSystem, queue: timer, watcher: watcher, report: reports.record)
        )
        // The look that follows the start of the watch.
        timer.fire()
    }

    /// The notices so far.
    var notices: [FileStoreNotice] {
        reports.values.compactMap { if case .notice(let notice) = $0 { notice } else { nil } }
    }

    /// Notices a change of the folder.
    func look() {
        watcher.tell()
        timer.fire()
    }

    /// Lets the time until the next attempt pass.
    func passTime() {
        timer.fire()
    }
}

extension TemporaryFolder {
    /// Publishes a version of a mounted folder in the steps of Kubernetes, and removes the one before.
    func publish(_ version: String, _ files: [String: String], in mount: String = "secrets", mode: Int = 0o400) throws {
        let (folder, old) = ("\(mount)/..\(version)", try? POSIXFileSystem().target(ofLinkAt: path("\(mount)/..data")))
        if old == nil { try makeFolder(mount) }
        try makeFolder(folder)
        for (name, text) in files { try write(Array(text.utf8), to: "\(folder)/\(name)", permissions: mode) }
        try replaceLink("\(mount)/..data", to: "..\(version)")
        let links = try POSIXFileSystem().names(inFolder: path(mount)).filter { !$0.hasPrefix("..") }
        for name in files.keys where !links.contains(name) { try link("\(mount)/\(name)", to: "..data/\(name)") }
        for name in links where files[name] == nil { try remove("\(mount)/\(name)") }
        if let old { try remove("\(mount)/\(old)") }
    }
}
