import { afterAll, afterEach, beforeEach } from 'bun:test'

let ofFile: AsyncDisposableStack | null = null
let ofTest: AsyncDisposableStack | null = null

/** Disposes the value after the last test of the file: the value of the last call first. */
export function disposeAfterAll<T extends AsyncDisposable | Disposable>(value: T): T {
  if (ofFile === null) {
    ofFile = new AsyncDisposableStack()
    afterAll(async () => {
      const stack = ofFile!
      ofFile = null
      await stack.disposeAsync()
    })
  }
  return ofFile.use(value)
}

/**
 * Opens a value before each test and disposes it afterwards: the value of the last call first.
 * The returned function returns the value of the running test.
 */
export function openEach<T extends object>(open: () => T | Promise<T>): () => T {
  if (ofTest === null) {
    ofTest = new AsyncDisposableStack()
    afterEach(async () => {
      const stack = ofTest!
      ofTest = new AsyncDisposableStack()
      await stack.disposeAsync()
    })
    afterAll(() => void (ofTest = null))
  }
  let value: T
  beforeEach(async () => {
    value = await open()
    if (Symbol.asyncDispose in value || Symbol.dispose in value) {
      ofTest!.use(value as T & AsyncDisposable)
    }
  })
  return () => value
}
