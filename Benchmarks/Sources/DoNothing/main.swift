// What the start of any Swift program costs.
print("", terminator: "")
