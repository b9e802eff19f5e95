@_spi(StoreAuthors) public import KeyspanCore

/// A store in front of a ``MirroredTable``, whose activity it reports.
protocol MirroringStore: ActivityBroadcasting {
    var mirror: MirroredTable { get }
}

extension MirroringStore {
    package var activity: ActivityBroadcaster { mirror.activity }

    /// The names of keys that were written here and are not passed on to the system yet; from memory.
    public var unsavedKeys: [String] { mirror.unsavedKeys }
}
