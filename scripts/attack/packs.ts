/**
 * Changes a real pack at random and adds it in this process: `bun scripts/attack/packs.ts ROUNDS
 * [SEED]`. Either the pack is refused with one line, or all text shown afterwards is on the pages
 * from which the pack was made. If anything else happens, the exit code is 1.
 */
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { checkPackFile } from '../../src/library/pack/check-pack.ts'
import { createTempFolder } from '../../src/platform/file/files.ts'
import { OgError } from '../../src/platform/error.ts'
import {
  lampPages,
  openPackWorld,
  packParts,
  writeLampPack,
  writeManifestOf,
  writeParts,
} from '../../test/support/pack/packs.ts'
import { openRandom, type Random } from './random.ts'

export type Mutations = { rounds: number; refused: number; failures: string[] }

/**
 * Texts may differ if a change keeps all hashes valid, because then they come from the author of
 * the pack.
 */
export async function packMutations({
  rounds,
  seed,
  adds = 10,
}: {
  rounds: number
  seed: number
  adds?: number
}): Promise<Mutations> {
  await using temp = await createTempFolder('og-mutations')
  const path = await writeLampPack(temp.path, { vectors: 'f16' })
  const [random, to] = [openRandom(seed), join(temp.path, 'changed', 'x.ogpack')]
  await Bun.write(to, '')
  const found: Mutations = { rounds, refused: 0, failures: [] }
  const texts = new Set(Object.values(lampPages).map((text) => text.trim()))
  for (let round = 0; round < rounds; round++) {
    const way = random.one(Object.keys(ways))
    const tag = `seed ${seed}, round ${round}, ${way}`
    ways[way]!({ path, to, random })
    const outcome = await attempt(() => checkPackFile(to))
    // Adding is slower than checking, so only some of the refused packs are added too.
    const isAdded = outcome === null || round % adds === 0
    const trial = { folder: temp.path, to, texts, way }
    const added = isAdded ? await attempt(() => add(trial)) : outcome
    if (added !== null) found.refused++
    for (const said of [outcome, added]) {
      if (said !== null && !isProper(said)) found.failures.push(`${tag}: ${said}`)
    }
    if (outcome !== null && isAdded && added === null) {
      found.failures.push(`${tag}: refused by the check (${outcome}) and added all the same`)
    }
    const around = readdirSync(temp.path).filter((name) => !known.has(name))
    if (around.length > 0) found.failures.push(`${tag}: wrote ${around.join(', ')}`)
  }
  return found
}

const known = new Set(['docs', 'made', 'lamp.ogpack', 'changed', 'store'])

function isProper(said: string): boolean {
  return /^Cannot (?:use|publish|write) [^\n]*$/.test(said)
}

/**
 * Returns null on success, otherwise the error message. An unexpected error is prefixed with
 * `internal:`.
 */
async function attempt(work: () => unknown): Promise<string | null> {
  try {
    await work()
    return null
  } catch (error) {
    return error instanceof OgError ? error.message : `internal: ${(error as Error).stack}`
  }
}

async function add({
  folder,
  to,
  texts,
  way,
}: {
  folder: string
  to: string
  texts: Set<string>
  way: string
}): Promise<void> {
  rmSync(join(folder, 'store'), { recursive: true, force: true })
  using world = openPackWorld(join(folder, 'store'))
  const { library } = await world.packs.add({ path: to, library: null, lockTimeoutMs: 1000 })
  using held = await world.store.entries((all) => all)
  const { queryPrefix: _, ...model } = held[0]!.entry.live.fingerprint ?? {}
  const said = JSON.stringify({ ...held[0]!.entry, fingerprint: model })
  if (/\\u00|[\x7f-\x9f\u202a-\u202e\u2066-\u2069]/.test(said)) {
    throw new Error(`${library} shows control characters: ${said}`)
  }
  if (way.startsWith('sealed')) return
  for await (const page of held[0]!.open.pagesByUrl()) {
    if (!texts.has(page.text.trim())) throw new Error(`${library} has a text of its own`)
  }
}

type Change = { path: string; to: string; random: Random }

const numbers = [0, -1, 1, 2 ** 31, 2 ** 53, 1e308, 0.5]
const texts = [
  '',
  '../../x',
  '/etc/passwd',
  '\u0000',
  '\x1b[2J',
  '\u202e',
  '2999-01-01T00:00:00Z',
  '{}',
  '*',
  'x'.repeat(5000),
  '2026-01-01T00:00:00Z\x1b[2J',
  'https://x.example/\x9b',
]
const values = [...numbers, ...texts, null, true, [], {}, [[]]]

const ways: Record<string, (change: Change) => unknown> = {
  'bits flipped': ({ path, to, random }) => {
    const bytes = readFileSync(path)
    for (let n = random.below(8); n >= 0; n--) {
      bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
    }
    writeFileSync(to, bytes)
  },
  cut: ({ path, to, random }) => {
    const bytes = readFileSync(path)
    writeFileSync(to, bytes.subarray(0, random.below(bytes.length)))
  },
  'a piece moved': ({ path, to, random }) => {
    const bytes = readFileSync(path)
    const [from, at] = [random.below(bytes.length), random.below(bytes.length)]
    bytes.copy(bytes, at, from, from + random.below(2000))
    writeFileSync(to, bytes)
  },
  'blocks of another kind': ({ path, to, random }) => {
    const bytes = readFileSync(path)
    const block = 512 * random.below(bytes.length / 512)
    bytes[block + 156] = random.one([...'1235xgLKS'].map((kind) => kind.charCodeAt(0)))
    writeFileSync(to, bytes)
  },
  'a field of the manifest': ({ path, to, random }) =>
    writeManifestOf(path, to, (manifest) => changedField(manifest, random)),
  'the manifest as text': ({ path, to, random }) =>
    writeManifestOf(path, to, (manifest) => changedText(JSON.stringify(manifest), random)),
  'sealed: the text of a member': (change) =>
    sealed(change, (content, random) => Buffer.from(changedText(content.toString(), random))),
  'sealed: the bytes of a member': (change) =>
    sealed(change, (content, random) => {
      const bytes = Buffer.from(content)
      for (let n = random.below(8); n >= 0; n--) {
        bytes[random.below(bytes.length)] = random.below(256)
      }
      return bytes.subarray(0, random.share() < 0.8 ? bytes.length : random.below(bytes.length))
    }),
}

/**
 * Changes one part and recomputes the hashes, so that the code behind the hash check is reached.
 */
function sealed(
  { path, to, random }: Change,
  change: (content: Buffer, random: Random) => Buffer,
): void {
  const { manifest, contents } = packParts(path)
  const at = random.below(contents.length)
  const changed = contents.map((content, i) => (i === at ? change(content, random) : content))
  writeParts(to, { manifest, contents: changed })
}

/** Replaces or deletes a random value at any depth. */
function changedField(value: unknown, random: Random): unknown {
  if (typeof value !== 'object' || value === null) return random.one(values)
  const keys = Object.keys(value)
  if (keys.length === 0 || random.share() < 0.05) return random.one(values)
  const key = random.one(keys)
  const copy: Record<string, unknown> = Array.isArray(value) ? ([...value] as never) : { ...value }
  if (random.share() < 0.1) delete copy[key]
  else copy[key] = changedField(copy[key], random)
  return copy
}

function changedText(text: string, random: Random): string {
  const at = random.below(text.length)
  const end = Math.min(text.length, at + random.below(12))
  const put = random.one(['', '"', ']', ',', '\\', '0', '-', 'e9', '\n', '\u0000', '[[', 'null'])
  return text.slice(0, at) + put + text.slice(end)
}

if (import.meta.main) {
  const [rounds = '10000', seed = String(Date.now() % 1_000_000)] = process.argv.slice(2)
  const found = await packMutations({ rounds: Number(rounds), seed: Number(seed) })
  for (const failure of found.failures) process.stdout.write(`${failure}\n`)
  process.stdout.write(
    `seed ${seed}: ${found.rounds} packs, ${found.refused} refused, ` +
      `${found.failures.length} failures\n`,
  )
  process.exitCode = found.failures.length > 0 ? 1 : 0
}
