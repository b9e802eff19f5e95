/// A store that saves when it is released, and when the process exits.
package protocol ExitSavingStore: PropertyListStore {
    /// Lets neither the release of the store nor the exit of the process wait for its disk anymore, until a save succeeds.
    ///
    /// Called when the disk has not answered within the time that the program had for its end.
    func giveUpSavingAtExit()
}
