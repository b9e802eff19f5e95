import Keyspan

extension Fixture {
    /// Writes one key again and again, each time another value.
    func repeatedWrite(_ name: String, operations: Int) -> Workload {
        let (first, second) = Access.Value.samples
        let pairs = operations / 2
        return Workload(name, operations: pairs * 2) { [defaults, key] in
            for _ in 0..<pairs {
                try key.write(first, to: defaults)
                try key.write(second, to: defaults)
            }
        }
    }

    /// Writes another value to each of the keys.
    var changeOfEach: () throws -> Void {
        var isFirst = false
        return { [defaults, keys] in
            isFirst.toggle()
            let value = isFirst ? Access.Value.samples.0 : Access.Value.samples.1
            for key in keys {
                try key.write(value, to: defaults)
            }
        }
    }

    /// The stored form of a value.
    func stored(_ value: Access.Value) throws -> PropertyListValue? {
        try key.write(value, to: defaults)
        return defaults.store.value(forKey: entry)
    }
}
