extension Defaults.TypedKey {
    /// Writes a value to a store in one batch, or throws and leaves the old one.
    ///
    /// A stored value that the key cannot read is moved to the kept values in the same batch.
    @inlinable
    final func write(_ value: Value, to store: any PropertyListStore) throws(Defaults.WriteError) {
        do throws(Defaults.WriteError.Cause) {
            guard let encode = encoder(for: store) else { return try writeEdit(value, to: store) }
            let entry = try checkedEntry(of: value, encode)
            if try !writeEntry(entry, encode, to: store) { try writeEdit(value, to: store) }
        } catch {
            throw Defaults.WriteError(key: name, store: store.name, cause: error)
        }
    }

    /// Writes the one entry of the key, expecting the replaced value to be the one that was checked for readability.
    ///
    /// In a store with layers, only the written one can lose a value. A concurrent write by another process is unknown here: a
    /// file keeps the later one of two values, as it does of two readable ones.
    ///
    /// - Returns: `false` if there is a value to keep, and nothing was written.
    @usableFromInline
    final func writeEntry(
        _ entry: PropertyListValue?,
        _ encode: KeyCoding<Value>.Encode,
        to store: any PropertyListStore
    ) throws(Defaults.WriteError.Cause) -> Bool {
        do {
            if writtenState.isCurrent(in: store) {
                var batch = PropertyListBatch(
                    .init(entry, forKey: name, noting: writtenState, expectingNotedState: true)
                )
                batch.arbiter = .memory
                if try store.applyUnlessConflicting(batch) { return true }
            }
            let target = store.writtenStore
            let form = store.valueForm
            var retries = ConflictRetries()
            while true {
                let revision = target.revision
                let replaced = target.storedValue(forKey: name)
                guard isReadable(replaced) else { return false }
                var batch = PropertyListBatch(write(of: entry, replacing: replaced, in: form, encode))
                batch.arbiter = .memory
                // A store that names no written store may wrap one that does, and passes this on as it is.
                batch.expectOnly(replaced?.value, isAboutWrittenStore: target !== store, forKey: name)
                if try store.applyUnlessConflicting(batch) { return true }
                if retries.areExhausted(at: revision, expecting: batch.expectations) {
                    // A store that reports conflicts while it stays the same cannot check expectations, and a plain write
                    // does not depend on one.
                    batch.expectNothing()
                    try store.apply(batch)
                    return true
                }
            }
        } catch {
            throw .store(error)
        }
    }

    /// Makes the one entry of the key in the form of a store; `nil` if the key has several entries, or one that an edit refuses.
    @inlinable
    final func encoder(for store: any PropertyListStore) -> KeyCoding<Value>.Encode? {
        if isReserved { return nil }
        guard let readable = coding.readable, isWrittenReadably(to: store, readable) else { return coding.encodeEntry }
        return readable.encode
    }

    @inlinable
    final func encoder(for edit: inout PropertyListEdit) -> KeyCoding<Value>.Encode? {
        guard let readable = coding.readable, isWrittenReadably(in: &edit, readable) else { return coding.encodeEntry }
        return readable.encode
    }

    /// Whether the form of a store is the readable one, and that is used in place of the value that it has.
    @usableFromInline
    final func isWrittenReadably(to store: any PropertyListStore, _ readable: ReadableCoding<Value>) -> Bool {
        guard store.valueForm == .readable else { return false }
        return readable.isUsed(store.writtenStore.storedValue(forKey: name)?.value)
    }

    @usableFromInline
    final func isWrittenReadably(in edit: inout PropertyListEdit, _ readable: ReadableCoding<Value>) -> Bool {
        guard edit.valueForm == .readable else { return false }
        return readable.isUsed(edit.replacedValue(forKey: name)?.value)
    }

    /// The write of an entry in the place of another one.
    ///
    /// In the readable form, the parts that stay keep the text of a person: `90s` in place of `1m30s`. The state is not noted then, because
    /// the next write has to examine the text again.
    ///
    /// - Parameters:
    ///   - entry: The form that the key gives the value.
    ///   - replaced: The form that the store has, which the key can read.
    ///   - form: The form of the store.
    ///   - encode: The conversion that gave `entry`.
    final func write(
        of entry: PropertyListValue?,
        replacing replaced: StoredValue?,
        in form: Defaults.ValueForm,
        _ encode: KeyCoding<Value>.Encode
    ) -> PropertyListBatch.Write {
        if form == .readable, let entry, let text = replaced?.value,
            let kept = keepingText(entry, replacing: text, encode)
        {
            return .init(kept, forKey: name)
        }
        return .init(entry, forKey: name, noting: writtenState)
    }

    /// The entry with the text of the replaced one in those parts that stay; `nil` if there is none to keep.
    private func keepingText(
        _ entry: PropertyListValue,
        replacing text: PropertyListValue,
        _ encode: KeyCoding<Value>.Encode
    ) -> PropertyListValue? {
        guard text != entry, text.mayStandFor(entry), let form = form(of: text, encode), form != text else {
            return nil
        }
        let kept = entry.keepingText(of: text, whoseFormIs: form)
        guard kept != entry, let value = strictValue(of: kept), (try? encode(value)) == entry else { return nil }
        // A type may read more than it writes: then one form is that of several values.
        return isValue(value, of: entry) ? kept : nil
    }

    /// The form that the key gives the value of another form.
    private func form(of stored: PropertyListValue, _ encode: KeyCoding<Value>.Encode) -> PropertyListValue? {
        guard let value = strictValue(of: stored) else { return nil }
        return try? encode(value)
    }

    /// Whether a value is the one that a form stands for, as far as values can be compared.
    private func isValue(_ value: Value, of form: PropertyListValue) -> Bool {
        guard let read = strictValue(of: form) else { return false }
        guard let value = value as? any Equatable else { return true }
        return Self.isEqual(value, read)
    }

    private static func isEqual<Other: Equatable>(_ left: Other, _ right: Value) -> Bool { right as? Other == left }

    private func strictValue(of stored: PropertyListValue) -> Value? {
        var context = Defaults.DecodingContext(isStrict: true)
        return try? decode(stored, in: &context)
    }

    /// The stored form of a value that satisfies the rules.
    @inlinable
    final func checkedEntry(
        of value: Value,
        _ encode: (Value) throws(ValueEncodingError) -> PropertyListValue?
    ) throws(Defaults.WriteError.Cause) -> PropertyListValue? {
        if !rules.isEmpty { try validate(value) }
        do {
            return try encode(value)
        } catch {
            throw .encoding(isSecret ? error.concealed : error)
        }
    }

    /// Writes a value in an edit, which sees all entries of the key and can write others.
    @usableFromInline
    final func writeEdit(_ value: Value, to store: any PropertyListStore) throws(Defaults.WriteError.Cause) {
        try store.edit(
            { (edit) throws(Defaults.WriteError.Cause) in try write(value, into: &edit) },
            isPlainWrite: true,
            storeFailure: { .store($0) }
        )
    }

    /// Writes a value to an edit, or throws and leaves the edit unchanged.
    @inlinable
    final func write(_ value: Value, into edit: inout PropertyListEdit) throws(Defaults.WriteError.Cause) {
        guard let encode = encoder(for: &edit) else { return try writeDirectly(value, into: &edit) }
        let entry = try checkedEntry(of: value, encode)
        writeEntry(entry, encode, into: &edit)
    }

    @usableFromInline
    final func writeEntry(
        _ entry: PropertyListValue?,
        _ encode: KeyCoding<Value>.Encode,
        into edit: inout PropertyListEdit
    ) {
        if edit.replacesNotedValue(ofKey: name, notedBy: writtenState) {
            edit.append(.init(entry, forKey: name, noting: writtenState, expectingNotedState: true))
            return
        }
        let replaced = edit.replacedValue(forKey: name)
        if isReadable(replaced) {
            edit.append(write(of: entry, replacing: replaced, in: edit.valueForm, encode))
        } else {
            keepReplaced(in: &edit)
            edit.append(.init(entry, forKey: name, noting: writtenState))
        }
    }

    @usableFromInline
    final func keepReplaced(in edit: inout PropertyListEdit) {
        KeptValues.keep(entryNames, ofKey: name, in: &edit)
    }

    @usableFromInline
    final func writeDirectly(
        _ value: Value,
        into edit: inout PropertyListEdit
    ) throws(Defaults.WriteError.Cause) {
        try validate(value)
        // A copy, because a direct bridge can fail after some of its writes.
        var written = edit
        keepUnreadable(in: &written)
        do {
            try coding.encode(value, under: name, into: &written)
        } catch {
            throw .encoding(isSecret ? error.concealed : error)
        }
        edit = written
    }

    @usableFromInline
    final func validate(_ value: Value) throws(Defaults.WriteError.Cause) {
        for rule in rules where !rule.isSatisfied(by: value) {
            throw .invalid(requirement: requirement(of: rule))
        }
    }
}

extension PropertyListValue {
    /// Whether another form may stand for the same value: of these kinds each value has one form.
    fileprivate func mayStandFor(_ other: PropertyListValue) -> Bool {
        switch (self, other) {
        case (.boolean, .boolean), (.integer, .integer), (.date, .date), (.data, .data): false
        default: true
        }
    }
}
