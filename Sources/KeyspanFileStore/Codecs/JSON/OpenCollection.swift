@_spi(StoreAuthors) import KeyspanCore

/// An array or object whose closing bracket has not been read yet.
struct OpenCollection {
    /// The offset of its opening bracket.
    let start: Int

    let isObject: Bool

    /// The least number of levels of the value around it, not counting tags.
    let outerLevels: Int

    /// The name of the member that is being read, if this is an object.
    private(set) var name = ""
    /// The offset of that name.
    private var nameStart = 0
    private var hasItems = false

    private var elements: [PropertyListValue] = []
    private var members: PropertyListDictionary = [:]
    /// The members that were `null`: they are absent, but their names must not occur again.
    private var nullNames: Set<UTF8Text> = []

    /// The deepest nesting of an item.
    private var itemNesting = 0
    /// The literal reading of the member named `$dictionary`, if it is an object.
    private var escaped: ReadCollection.Reading?

    init(start: Int, isObject: Bool, outerLevels: Int) {
        self.start = start
        self.isObject = isObject
        self.outerLevels = outerLevels
    }

    var closingBracket: UInt8 { isObject ? ASCII.closeBrace : ASCII.closeBracket }

    /// The problem if the next byte does not begin an item.
    var problemWithoutItem: JSONFault.Problem {
        switch (isObject, hasItems) {
        case (true, false): .memberName
        case (true, true): .memberNameAfterComma
        case (false, false): .value
        case (false, true): .valueAfterComma
        }
    }

    /// The least number of levels of the value around a collection that is the next item.
    ///
    /// An object that may turn out to escape the object in it does not count.
    func levels(aroundObject isObject: Bool) -> Int {
        isObject && self.isObject && members.isEmpty && name == TaggedForm.dictionary ? outerLevels : outerLevels + 1
    }

    mutating func begin(name: String, at start: Int) {
        self.name = name
        nameStart = start
    }

    mutating func appendNull() throws(JSONFault) {
        hasItems = true
        guard members[name] == nil, nullNames.insert(name) else {
            throw JSONFault(.duplicateName, at: nameStart)
        }
    }

    mutating func append(_ value: PropertyListValue) throws(JSONFault) {
        hasItems = true
        guard isObject else { return elements.append(value) }
        guard members.updateValue(value, forKey: name) == nil, nullNames.isEmpty || !nullNames.contains(name) else {
            throw JSONFault(.duplicateName, at: nameStart)
        }
    }

    mutating func append(_ collection: ReadCollection) throws(JSONFault) {
        itemNesting = max(itemNesting, collection.interpreted.nesting)
        if isObject && name == TaggedForm.dictionary { escaped = collection.literal }
        try append(collection.interpreted.value)
    }

    /// The collection, after its closing bracket was read.
    consuming func close() -> ReadCollection {
        guard isObject else {
            return ReadCollection(interpreted: .init(value: .array(elements), nesting: itemNesting + 1), literal: nil)
        }
        let literal = ReadCollection.Reading(value: .dictionary(members), nesting: itemNesting + 1)
        guard members.count == 1, let (name, content) = members.first else {
            return ReadCollection(interpreted: literal, literal: literal)
        }
        if let escaped {
            return ReadCollection(interpreted: escaped, literal: literal)
        }
        if let tagged = TaggedForm.value(named: name, content: content) {
            return ReadCollection(interpreted: .init(value: tagged, nesting: 0), literal: literal)
        }
        return ReadCollection(interpreted: literal, literal: literal)
    }
}
