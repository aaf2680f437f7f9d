import { expect, test } from 'bun:test'
import {
  chooseFreeName,
  versionsFromOtherSources,
  confirmReplacement,
  versionToReplace,
  replacementText,
} from '../../../src/operation/add/other-source.ts'
import { openTerminal } from '../../../src/cli/terminal.ts'
import type { LibraryVersion } from '../../../src/library/library.ts'
import type { Source } from '../../../src/store/source.ts'
import { chunks, sink } from '../../support/run-og.ts'

const archive = (url: string, named?: string): Source => ({
  kind: 'archive',
  url,
  docsPaths: [],
  ...(named === undefined ? {} : { package: named }),
})

function version(library: string, label: string, source: Source): LibraryVersion {
  const counts = { pages: 1, chunks: 1, indexedAt: '2026-01-01T00:00:00Z' }
  const rest = { ...counts, ref: null, commit: null, tag: null, incomplete: null, pack: null }
  return { library, version: label, source, ...rest }
}

const indexed = [
  version('Heron', '1.0', archive('https://a.example/1.0.zip', 'npm:heron')),
  version('heron', 'local-2026-01-01', { kind: 'local_path', path: '/heron' }),
  version('egret', '1.0', archive('https://e.example/1.0.zip')),
]

test('finds versions from other sources, and treats a package as one source', () => {
  const check = (source: Source, expected: string[]) =>
    expect(
      versionsFromOtherSources(indexed, { library: 'heron', source }).map((it) => it.version),
    ).toEqual(expected)
  check(archive('https://a.example/2.0.zip', 'npm:heron'), ['local-2026-01-01'])
  check(archive('https://a.example/1.0.zip'), ['local-2026-01-01'])
  check({ kind: 'local_path', path: '/heron' }, ['1.0'])
  check(archive('https://b.example/1.0.zip', 'pypi:heron'), ['1.0', 'local-2026-01-01'])
})

test('replaces the same version, or the dated version of a local folder', () => {
  expect(versionToReplace(indexed, { version: '1.0' })?.library).toBe('Heron')
  expect(versionToReplace(indexed, { version: 'local-2026-05-05', follows: true })?.version).toBe(
    'local-2026-01-01',
  )
  expect(versionToReplace(indexed, { version: '3.0' })).toBe(null)
  expect(replacementText(indexed[0]!, { kind: 'local_path', path: '/x' })).toEqual({
    label: 'Heron 1.0',
    places: 'it came from https://a.example/1.0.zip, and now comes from /x',
  })
})

/** A terminal with this input; null means that stdin is not a terminal. */
function terminalOf(typed: string | null) {
  const isTTY = typed !== null
  const stdin = Object.assign(chunks(typed ?? ''), { isTTY })
  return openTerminal({ stdin, stdout: sink(isTTY), stderr: sink(isTTY) }, { NO_COLOR: '1' })
}

test('asks for another name on a terminal if the name is taken', async () => {
  const naming = {
    argument: 'pypi:heron',
    library: 'heron',
    source: archive('https://b.example/1.zip'),
    isNamed: false,
  }
  const free = (typed: string | null, more = {}) =>
    chooseFreeName(terminalOf(typed), indexed, { ...naming, ...more })
  expect(await free('bird\n')).toBe('bird')
  expect(await free(null, { isNamed: true })).toBe('heron')
  expect(await free(null, { library: 'crane' })).toBe('crane')
  for (const typed of [null, '\n']) {
    await expect(free(typed)).rejects.toThrow(/^The name "Heron" is taken: 1.0 of it is from /)
  }
})

test('asks before replacing a version on a terminal', async () => {
  const replaced = { label: 'heron 1.0', places: 'it came from a, and now comes from b' }
  const ask = (typed: string | null, yes = false) =>
    confirmReplacement(terminalOf(typed), { replaced, yes })
  expect(await Promise.all([ask('y\n'), ask('n\n'), ask(null), ask('n\n', true)])).toEqual([
    true,
    false,
    true,
    true,
  ])
})
