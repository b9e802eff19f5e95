import Foundation
import Keyspan

/// The contents of the stores: names of 25 bytes, and scalars and strings in turn.
enum Contents {
    /// The name of a key.
    static func name(_ index: Int) -> String {
        "com.example.app.key." + String(format: "%05d", index)
    }

    /// That many keys with their values.
    static func values(count: Int) -> [String: PropertyListValue] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { (name($0), value($0)) })
    }

    /// All of that in one batch.
    static func batch(count: Int) -> PropertyListBatch {
        var batch = PropertyListBatch()
        for index in 0..<count {
            batch.set(value(index), forKey: name(index))
        }
        return batch
    }

    /// The value of a key.
    static func value(_ index: Int) -> PropertyListValue {
        switch index % 4 {
        case 0: index.propertyListValue
        case 1: "the value of setting number \(index)".propertyListValue
        case 2: index.isMultiple(of: 8).propertyListValue
        default: (Double(index) / 7).propertyListValue
        }
    }
}
