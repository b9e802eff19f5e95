@_spi(StoreAuthors) import KeyspanCore
import Testing

@Suite struct AnySerializableTests {
    @Test func `the same stored form is the same value, whatever type it came from`() {
        let numbers: Set<Defaults.AnySerializable> = [1, .init(Int8(1)), .init(UInt64(1)), 1.0, true, "1"]
        #expect(numbers.count == 4)
        #expect(Defaults.AnySerializable(Fruit.pear) == "pear")
        #expect(Defaults.AnySerializable(["a": 1]) == ["a": 1])
        #expect(Defaults.AnySerializable([Fruit.pear]) == [Fruit.pear])
    }

    @Test func `a value is read as any type that it makes whole`() throws {
        let value: Defaults.AnySerializable = ["apple", "kiwi"]
        #expect(value.get() == ["apple", "kiwi"])
        #expect(value.get(Set<String>.self) == ["apple", "kiwi"])
        #expect(value.get([Fruit].self) == nil)
        let error = #expect(throws: ValueDecodingError.self) { try value.value(as: [Fruit].self) }
        #expect(error?.path.description == "[1]")
        #expect(try Defaults.AnySerializable(nil as Int?).value(as: Int.self) == nil)
    }

    @Test func `nil is nothing, and removes the key`() {
        let store = InMemoryStore(["any": 1])
        let key = Defaults.Key<Defaults.AnySerializable>("any", default: "default")
        Defaults(store)[key] = nil
        #expect(store.snapshot().isEmpty)
        #expect(Defaults(store)[key] == "default")
        var value: Defaults.AnySerializable = 1
        value.set(nil as String?)
        #expect(value._defaults_isNil && value.propertyListValue == nil && value == nil)
        #expect(value.description == "nil")
    }

    @Test func `a value without a stored form is refused when it is written, with the reason and the place`() {
        let store = InMemoryStore(["list": [1]])
        let key = Defaults.Key<[Defaults.AnySerializable]>("list", default: [])
        let nowhere = Point(x: .nan, y: 0)
        let error = #expect(throws: Defaults.WriteError.self) {
            try Defaults(store).set([1, .init(nowhere)], for: key)
        }
        #expect(error?.description.contains("key \"list\"[1]") == true)
        #expect(error?.description.contains("PointBridge has no stored form") == true)
        #expect(throws: Defaults.WriteError.self) { try Defaults(store).set([1, nil], for: key) }
        #expect(throws: Defaults.WriteError.self) { try Defaults(store).set([[1, nowhere]], for: key) }
        #expect(store.snapshot() == ["list": [1]])
    }
}
