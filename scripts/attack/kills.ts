import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Arena, Concern } from './arena.ts'

const nPages = 12

/** Starts a command and kills it at a random moment. Returns true if it was still running. */
async function killed(arena: Arena, args: string[], env = {}): Promise<boolean> {
  const running = arena.start(args, { env })
  await Promise.race([Bun.sleep(20 + arena.random.share() * 700), running.ended])
  running.kill()
  return (await running.ended).exitCode === 137
}

/** Kills every command that writes the store: one complete state must remain. */
export const storeKills: Concern = {
  what: 'kill -9 while the store is written',
  async attack(arena) {
    const docs = join(arena.folder, 'docs')
    mkdirSync(docs)
    let state = 0
    const write = () => {
      state++
      for (let at = 0; at < nPages; at++) {
        writeFileSync(join(docs, `p${at}.md`), `# Page ${at}\n\nPage ${at} is of STATE${state}x.\n`)
      }
    }
    const add = ['add', 'lib', '-s', docs, '-v', '1', '--force']
    const commands: Record<string, string[]> = {
      add: add,
      update: ['update', 'lib', '--force'],
      remove: ['remove', 'lib', '-v', '1', '-y'],
      rollback: ['rollback', 'lib'],
      reembed: ['reembed', 'lib'],
      'add of another': ['add', 'other', '-s', docs, '-v', '1', '--force'],
      nuke: ['nuke', 'all', '-y'],
    }
    write()
    while (arena.hasTime()) {
      const [name, args] = arena.random.one(Object.entries(commands))
      const { exitCode, stderr } = await arena.og(`before ${name}`, add)
      if (exitCode !== 0) arena.fail(`before ${name}`, `add failed: ${stderr}`)
      write()
      await killed(arena, args)
      arena.round()
      await checkStore(arena, { tag: `${name} killed`, mayBeGone: /remove|nuke/.test(name) })
    }
  },
}

async function checkStore(
  arena: Arena,
  { tag, mayBeGone }: { tag: string; mayBeGone: boolean },
): Promise<void> {
  const list = await arena.og(tag, ['list', '--json'])
  if (list.exitCode !== 0) return arena.fail(tag, `og list: ${list.stderr}`)
  const isThere = list.stdout.includes('"lib"')
  if (!isThere && !mayBeGone) return arena.fail(tag, 'the library is gone')
  if (isThere) {
    const question = ['query', 'page state', '-l', 'lib', '-k', '40', '--json']
    const { stdout, stderr } = await arena.og(tag, question)
    const states = stdout.match(/STATE\d+x/g) ?? []
    if (new Set(states).size !== 1) arena.fail(tag, `states ${[...new Set(states)]}: ${stderr}`)
    if (states.length < nPages) arena.fail(tag, `${states.length} of ${nPages} pages are found`)
  }
  const doctor = await arena.og(tag, ['doctor', '--offline'])
  const complaint = doctor.stdout.split('\n').find((line) => /^FAIL.*(missing|damaged)/i.test(line))
  if (complaint !== undefined) arena.fail(tag, complaint)
}

const withoutModel = { GROUNDMEMORY_EMBEDDING__PROVIDER: 'none' }

/**
 * Kills writers of the memory: every acknowledged entry must be complete and present exactly once.
 */
export const memoryKills: Concern = {
  what: 'kill -9 while the memory is written',
  async attack(arena) {
    const root = join(arena.folder, 'memory')
    const text = () => {
      const folder = join(root, 'default')
      const daily = join(folder, 'daily')
      return (
        ['MEMORY.md', 'RELATIONS.md'].map((name) => fileText(join(folder, name))).join('') +
        folderNames(daily)
          .map((name) => fileText(join(daily, name)))
          .join('')
      )
    }
    const acknowledged = new Set<string>()
    const memory = (...args: string[]) => ['memory', ...args, '--root', root]
    await arena.og('the first entry', memory('write', 'W0 begins W0END'), { env: withoutModel })
    for (let at = 1; arena.hasTime(); at++) {
      const tag = `round ${at}`
      const others = [
        memory('sync'),
        memory('backup'),
        memory('relate', `S${at}`, 'knows', 'O'),
        memory('write', `user ${at}`, '--file', 'USER.md'),
      ]
      if (at % 4 === 0) await killed(arena, arena.random.one(others), withoutModel)
      else for (const word of await writtenUntilKilled(arena, { at, root })) acknowledged.add(word)
      arena.round()
      await arena.og(tag, memory('list'), { env: withoutModel })
      const found = text()
      for (const word of acknowledged) {
        const times = found.split(`${word}END`).length - 1
        if (times === 1 && found.includes(`${word} `)) continue
        arena.fail(tag, `entry ${word} was acknowledged and is there ${times} times`)
        acknowledged.delete(word)
      }
      if (at % 5 !== 0) continue
      await arena.og(tag, memory('search', 'heron'), { env: withoutModel })
      const doctor = await arena.og(tag, memory('doctor'), { env: withoutModel })
      const complaint = doctor.stdout.split('\n').find((line) => line.startsWith('FAIL'))
      if (complaint !== undefined) arena.fail(tag, complaint)
    }
  },
}

/**
 * Writes entries through a server over stdin until it is killed. @returns the acknowledged entries
 */
async function writtenUntilKilled(
  arena: Arena,
  { at, root }: { at: number; root: string },
): Promise<string[]> {
  const words = Array.from({ length: 60 }, (_, n) => `W${at}x${n}x`)
  const call = (word: string, id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: {
      name: 'memory_write',
      arguments: {
        file: arena.random.one(['MEMORY.md', 'daily']),
        content: `${word} heron ${'w'.repeat(arena.random.one([5, 500, 20_000]))} ${word}END`,
      },
    },
  })
  const initialize = {
    jsonrpc: '2.0',
    id: 1000,
    method: 'initialize',
    params: {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'attack', version: '1' },
    },
  }
  const ready = { jsonrpc: '2.0', method: 'notifications/initialized' }
  const messages = [initialize, ready, ...words.map(call)]
  const stdin = messages.map((message) => `${JSON.stringify(message)}\n`).join('')
  const running = arena.start(['memory', 'mcp', '--root', root], { env: withoutModel, stdin })
  await Promise.race([Bun.sleep(50 + arena.random.share() * 900), running.ended])
  running.kill()
  const lines = (await running.ended).stdout.split('\n').slice(0, -1)
  return lines.flatMap((line) => {
    const { id, result } = JSON.parse(line) as { id: number; result?: { isError?: boolean } }
    return words[id] !== undefined && result !== undefined && !result.isError ? [words[id]!] : []
  })
}

function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function folderNames(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}
