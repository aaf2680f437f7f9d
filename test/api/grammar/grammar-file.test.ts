import { expect, test } from 'bun:test'
import {
  grammarBytes,
  grammarPaths,
  type GrammarFile,
} from '../../../src/api/grammar/grammar-file.ts'

test('reads a WebAssembly module for each grammar', async () => {
  for (const name of Object.keys(grammarPaths) as GrammarFile[]) {
    expect((await grammarBytes(name)).subarray(0, 4)).toEqual(Buffer.from('\0asm'))
  }
})
