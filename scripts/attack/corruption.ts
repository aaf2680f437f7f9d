import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Arena, Concern } from './arena.ts'
import type { Random } from './random.ts'

const nPages = 14
const pageText = (at: number) =>
  `# Page ${at}\n\nThis page number ${at} tells of configuration and tasks, kind ${at * 7}.\n\n` +
  `## More about ${at}\n\nDetails of topic ${at} with the word QZ${at}X and nothing else.\n`

/** Damages every file of a small store in every way: answers must stay correct or become errors. */
export const corruption: Concern = {
  what: 'every file of a store damaged',
  async attack(arena) {
    const docs = join(arena.folder, 'docs')
    mkdirSync(docs)
    for (let at = 0; at < nPages; at++) writeFileSync(join(docs, `p${at}.md`), pageText(at))
    const add = ['add', 'lib', '-s', docs, '-v', '1']
    const added = await arena.og('the whole store', add)
    if (added.exitCode !== 0) return arena.fail('the whole store', added.stderr)
    const whole = join(arena.folder, 'whole')
    cpSync(arena.store, whole, { recursive: true, preserveTimestamps: true })
    const files = (readdirSync(whole, { recursive: true }) as string[])
      .filter((name) => statSync(join(whole, name)).isFile() && !/-(shm|wal)$/.test(name))
      .sort()
    const trials = files.flatMap((name) => Object.keys(damages).map((way) => ({ name, way })))
    while (arena.hasTime()) {
      // Shuffles the trials, so that a short run covers different files and kinds of damage.
      for (const { name, way } of trials.sort(() => arena.random.share() - 0.5)) {
        if (!arena.hasTime()) return
        rmSync(arena.store, { recursive: true, force: true })
        cpSync(whole, arena.store, { recursive: true, preserveTimestamps: true })
        damage(join(arena.store, name), { way, random: arena.random })
        arena.round()
        await check(arena, { tag: `${shown(name)} ${way}`, docs, add })
      }
    }
  },
}

type Damage = (bytes: Buffer, random: Random) => Uint8Array | null

const flipped = (bytes: Buffer, { random, nBits }: { random: Random; nBits: number }) => {
  for (let n = 0; n < nBits && bytes.length > 0; n++) {
    bytes[random.below(bytes.length)]! ^= 1 << random.below(8)
  }
  return bytes
}

/** Kinds of damage. A result of null deletes the file. */
const damages: Record<string, Damage> = {
  'with a bit flipped': (bytes, random) => flipped(bytes, { random, nBits: 1 }),
  'with 40 bits flipped': (bytes, random) => flipped(bytes, { random, nBits: 40 }),
  'cut in half': (bytes) => bytes.subarray(0, bytes.length >> 1),
  'without its last byte': (bytes) => bytes.subarray(0, -1),
  emptied: () => Buffer.alloc(0),
  deleted: () => null,
  'with 300 bytes more': (bytes, random) =>
    Buffer.concat([bytes, Buffer.from(Array.from({ length: 300 }, () => random.below(256)))]),
  'all brackets': () => Buffer.alloc(200_000, '['),
  'of another type': () =>
    Buffer.from('{"format": 1, "entries": [null, 1, {"live": {"id": ".."}}]}'),
}

function damage(path: string, { way, random }: { way: string; random: Random }): void {
  const bytes = damages[way]!(readFileSync(path), random)
  if (bytes === null) rmSync(path)
  else writeFileSync(path, bytes)
}

async function check(
  arena: Arena,
  { tag, docs, add }: { tag: string; docs: string; add: string[] },
): Promise<void> {
  await arena.og(tag, ['list'])
  const question = ['query', 'configuration tasks topic', '-l', 'lib', '-k', '20', '--json']
  await checkText(arena, { tag, stdout: (await arena.og(tag, question)).stdout })
  const page = await arena.og(tag, ['get', `file://${docs}/p3.md`])
  if (page.exitCode === 0 && page.stdout.trim() !== pageText(3).trim()) {
    arena.fail(tag, `og get gave another text: ${page.stdout.slice(0, 80)}`)
  }
  await arena.og(tag, ['doctor'])
  const again = await arena.og(tag, [...add, '--force'])
  // If the add fails, its message says what to do. If it succeeds, every page must be intact.
  if (again.exitCode !== 0) return
  const healed = await arena.og(tag, question)
  await checkText(arena, { tag, stdout: healed.stdout })
  if (healed.exitCode !== 0) arena.fail(tag, `after add the query failed: ${healed.stderr}`)
}

/** Reports a failure if a hit shows a line that is not on any page. */
async function checkText(arena: Arena, { tag, stdout }: { tag: string; stdout: string }) {
  if (!stdout.startsWith('{')) return
  const all = Array.from({ length: nPages }, (_, at) => pageText(at)).join('')
  const hits: { text?: string }[] = JSON.parse(stdout).hits ?? []
  const lines = hits.flatMap(({ text = '' }) => text.split('\n'))
  const isNew = (line: string) => line.trim() !== '' && line !== '[…]' && !all.includes(line.trim())
  const wrong = lines.find(isNew)
  if (wrong !== undefined) arena.fail(tag, `a hit shows what no page says: ${wrong.slice(0, 80)}`)
}

/** Replaces ids in a file name, because they differ from store to store. */
const shown = (name: string) =>
  name.replace(/[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-z]{8}-[0-9a-f]{8}|[01]{10,}\w*|\d{10,}/g, '…')
