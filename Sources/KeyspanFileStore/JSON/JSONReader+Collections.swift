import KeyspanCore

extension JSONReader {
    /// Reads an array or object with all that is in it, from its opening bracket to its closing one.
    mutating func readCollection() throws(JSONFault) -> PropertyListValue {
        let start = cursor.position
        var isAtItem = try open()
        while true {
            if isAtItem {
                isAtItem = try readItem()
                continue
            }
            let collection = try close()
            guard let innermost = openCollections.indices.last else {
                guard collection.interpreted.nesting <= PropertyListValue.maximumNesting else {
                    throw JSONFault(.nesting, at: start)
                }
                return collection.interpreted.value
            }
            try openCollections[innermost].append(collection)
            isAtItem = consumeComma()
        }
    }

    /// Steps into the array or object here.
    ///
    /// - Returns: Whether it has an item; otherwise the cursor is where its closing bracket belongs.
    private mutating func open() throws(JSONFault) -> Bool {
        let start = cursor.position
        let isObject = cursor.consume(ASCII.openBrace)
        if !isObject { _ = cursor.consume(ASCII.openBracket) }
        let outerLevels = openCollections.last?.levels(aroundObject: isObject) ?? 0
        // An object that is one level too deep may still be a tag, which is no level. Two objects in a row may be one
        // level, never three.
        let limit = PropertyListValue.maximumNesting
        guard outerLevels < (isObject ? limit + 1 : limit), openCollections.count <= 2 * limit else {
            throw JSONFault(.nesting, at: start)
        }
        let collection = OpenCollection(start: start, isObject: isObject, outerLevels: outerLevels)
        openCollections.append(collection)
        cursor.skipWhitespace()
        return cursor.current != collection.closingBracket
    }

    /// Reads an item of the innermost collection, or steps into it if it is a collection itself.
    ///
    /// - Returns: Whether there is an item next; otherwise the cursor is where a closing bracket belongs.
    private mutating func readItem() throws(JSONFault) -> Bool {
        let innermost = openCollections.count - 1
        var problem = openCollections[innermost].problemWithoutItem
        if openCollections[innermost].isObject {
            let start = cursor.position
            openCollections[innermost].begin(name: try readMemberName(otherwise: problem), at: start)
            problem = .value
            if try readNull() {
                try openCollections[innermost].appendNull()
                return consumeComma()
            }
        }
        if cursor.current == ASCII.openBrace || cursor.current == ASCII.openBracket {
            return try open()
        }
        try openCollections[innermost].append(try readScalar(otherwise: problem))
        return consumeComma()
    }

    /// Steps out of the innermost collection.
    private mutating func close() throws(JSONFault) -> ReadCollection {
        let innermost = openCollections.removeLast()
        guard cursor.consume(innermost.closingBracket) else {
            throw JSONFault(innermost.isObject ? .commaOrBrace : .commaOrBracket, at: cursor.position)
        }
        let (start, outerLevels) = (innermost.start, innermost.outerLevels)
        let collection = innermost.close()
        guard outerLevels + collection.leastNesting <= PropertyListValue.maximumNesting else {
            throw JSONFault(.nesting, at: start)
        }
        return collection
    }

    private mutating func consumeComma() -> Bool {
        cursor.skipWhitespace()
        guard cursor.consume(ASCII.comma) else { return false }
        cursor.skipWhitespace()
        return true
    }
}
