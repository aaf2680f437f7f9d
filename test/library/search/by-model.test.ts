import { expect, test } from 'bun:test'
import { withProbe } from '../../../src/embed/probe.ts'
import type { OpenVersions } from '../../../src/library/entries.ts'
import type { LibraryContext } from '../../../src/library/library-context.ts'
import { embeddersByModel } from '../../../src/library/search/by-model.ts'
import { hashEmbedder } from '../../support/hash-embedder.ts'
import { generationNamed } from '../../support/store.ts'

const own = hashEmbedder()
const probed = withProbe(own)

function heldOf(library: string, probe: string | undefined): OpenVersions[number] {
  const live = generationNamed(library, {
    chunks: 1,
    fingerprint: { ...own.fingerprint, ...(probe === undefined ? {} : { probe }) },
  })
  return { entry: { library, version: 'latest', live, previous: null } } as OpenVersions[number]
}

const opened = {
  fingerprint: own.fingerprint,
  embedder: async () => probed,
  ownEmbedder: async () => null,
} as unknown as LibraryContext

test('uses the current model for a library without a probe, and rejects one of another model', async () => {
  const probe = await probed.probe!()
  const other = probe.replace(/./g, (digit) => (15 - parseInt(digit, 16)).toString(16))
  const held = [
    heldOf('early', undefined),
    heldOf('other', other),
    heldOf('same', probe),
    heldOf('earlier', undefined),
  ]
  const embedders = await embeddersByModel(held, opened)
  const [early, foreign, same, earlier] = held.map((one) => embedders.get(one)!)
  expect(await early!()).toBe(probed)
  expect(await same!()).toBe(probed)
  expect(earlier).toBe(early)
  await expect(foreign!()).rejects.toThrow('library "other" version "latest" was embedded')
})
