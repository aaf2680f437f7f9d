import { expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  buildPack,
  publishPack,
  emptyFigures,
  type BuildFigures,
  type RunOg,
} from '../../../src/library/ci/build-pack.ts'
import type { PackSpec } from '../../../src/library/ci/pack-list.ts'
import { createTempFolder } from '../../../src/platform/file/files.ts'
import { indexOf } from '../../support/pack/registry-index.ts'
import { writeLampPack, writeManifestOf } from '../../support/pack/packs.ts'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { unusedPackName } from '../../../src/library/pack/packs.ts'

const source = { kind: 'git_repo', url: 'https://lamp.example/lamp.git', docsPaths: ['docs'] }
const wish: PackSpec = {
  library: 'lamp',
  version: '1',
  addArguments: ['--docs-path=docs'],
  vectors: 'f32',
  minHealth: 90,
  questions: null,
  minHits: 80,
}

/** Returns the commands of a build whose newest pack has the commit `aaa`. */
async function commandsOf(changed: {
  commit?: string
  source?: object
  vectors?: 'int8'
  isMadeAlike?: boolean
  health?: number
  incomplete?: string
}): Promise<{ words: string[]; end: unknown; figures: BuildFigures }> {
  await using temp = await createTempFolder('og-build-pack')
  const plain = await writeLampPack(temp.path)
  writeManifestOf(plain, join(temp.path, 'lamp-1+2.ogpack'), (it) =>
    Object.assign(it, { source, commit: 'aaa', version: '1' }),
  )
  const words: string[] = []
  const og: RunOg = async (typed) => {
    words.push(typed[0]!)
    if (typed.includes('--dry-run')) {
      const { commit, incomplete = null } = changed
      return { version: '1', source: { ...source, ...changed.source }, commit, incomplete }
    }
    if (typed[0] === 'eval') return { libraries: [{ health: changed.health, missed: [{}] }] }
    if (typed[0] === 'pack') writeManifestOf(plain, join(temp.path, 'new.ogpack'), (it) => it)
    return { pages: 14, chunks: 27, failed: [], incomplete: null }
  }
  const { packs } = indexOf([
    { version: '1', path: 'lamp-1.ogpack' },
    { version: '1', path: 'lamp-1+2.ogpack', indexedAt: '2026-02-01T00:00:00Z' },
  ])
  const building = {
    registry: temp.path,
    folder: temp.path,
    packs,
    og,
    isMadeAlike: () => changed.isMadeAlike ?? true,
  }
  const figures: BuildFigures = { ...emptyFigures, notes: [] }
  const wanted = { ...wish, vectors: changed.vectors ?? wish.vectors }
  const end = await buildPack(wanted, building, figures).catch((error: Error) => error.message)
  return { words, end, figures }
}

test('builds nothing for the same commit and settings', async () => {
  const { words, end, figures } = await commandsOf({ commit: 'aaa' })
  expect(words).toEqual(['add'])
  expect(end).toBe(null)
  expect(figures).toMatchObject({ before: 'lamp-1+2.ogpack', version: '1', pages: 14 })
})

test('adds the previous pack, then the source, and checks the result', async () => {
  const all = ['add', 'add', 'add', 'pack', 'eval']
  for (const changed of [
    { commit: 'bbb' },
    { source: { docsPaths: ['other'] } },
    { vectors: 'int8' as const },
    { isMadeAlike: false },
  ]) {
    const { words, end } = await commandsOf({ commit: 'aaa', health: 95, ...changed })
    expect(words).toEqual(all)
    expect(end).toEndWith('new.ogpack')
  }
  const { end, figures } = await commandsOf({ commit: 'bbb', health: 80 })
  expect(end).toBe('Its search health is 80 %, min_health requires 90 %')
  expect(figures.health).toBe(80)
})

test('does not publish a source that could be read only in part', async () => {
  const incomplete = 'cannot reach git.example'
  const { words, end } = await commandsOf({ commit: 'bbb', incomplete })
  expect(words).toEqual(['add'])
  expect(end).toBe('Its source is incomplete: cannot reach git.example')
})

test('never reuses the number of a published pack', () => {
  const check = (taken: string[], expected: string) =>
    expect(unusedPackName(taken, 'a-1.ogpack')).toBe(expected)
  check([], 'a-1.ogpack')
  check(['a-1.ogpack'], 'a-1+2.ogpack')
  check(['a-1+7.ogpack', 'a-1+x.ogpack', 'a-1.0.ogpack'], 'a-1+8.ogpack')
  check(['a-1+2.ogpack.part', 'b-1.ogpack'], 'a-1.ogpack')
})

test('publishes many packs at the same time, each complete and under its own name', async () => {
  await using temp = await createTempFolder('og-publish')
  const packs = Array.from({ length: 8 }, (_, i) => join(temp.path, `new-${i}`))
  packs.forEach((path, i) => writeFileSync(path, `pack ${i}`.repeat(1000)))
  const folder = join(temp.path, 'packs')
  writeFileSync(join(temp.path, 'x'), '')
  await Bun.write(join(folder, '.og-ci.part'), 'left by a run that was killed')
  const names = await Promise.all(
    packs.map((from) => publishPack(folder, { from, library: 'a', version: '1' })),
  )
  expect(new Set(names).size).toBe(8)
  for (const [i, name] of names.entries()) {
    expect(readFileSync(join(folder, name), 'utf8')).toBe(`pack ${i}`.repeat(1000))
  }
  expect(readdirSync(folder)).toHaveLength(8)
})
