/**
 * Tests that separate processes parse and chunk pages, and that a hanging process delays nothing
 * else.
 */
import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createWorld, type World } from '../support/e2e.ts'
import { writeFiles } from '../support/repository.ts'

const nPages = 400

function writeDocs(world: World): string {
  const page = (at: number) => `# Page ${at}\n\n${`Lamp ${at} is number *${at}*.\n\n`.repeat(400)}`
  const files = Array.from({ length: nPages }, (_, at) => [`page${at}.md`, page(at)])
  const folder = join(world.folder, 'docs')
  writeFiles(folder, Object.fromEntries(files))
  return folder
}

/** Returns '' if the process has ended. */
function fileText(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}

/** Returns the processes that parse pages for this one. */
function parsersOf(parent: number): number[] {
  const children = fileText(`/proc/${parent}/task/${parent}/children`).trim().split(' ').map(Number)
  return children.filter((pid) => fileText(`/proc/${pid}/cmdline`).includes('\0--sandbox'))
}

/** Returns the CPU time of a process so far, in hundredths of a second. */
function cpuTicks(pid: number): number {
  return Number(fileText(`/proc/${pid}/stat`).split(') ')[1]?.split(' ')[11] ?? 0)
}

/** Starts an add, and pauses the first process that parses pages for it. */
async function addStopped(world: World) {
  const running = world.start(['add', 'lamps', '-s', writeDocs(world), '-v', '1', '--json'])
  const busy = () => parsersOf(running.pid).find((pid) => cpuTicks(pid) >= 20)
  let parser = busy()
  for (; parser === undefined; parser = busy()) await Bun.sleep(5)
  process.kill(parser, 'SIGSTOP')
  return { running, parser }
}

test('replaces a hanging process without losing a page', async () => {
  await using world = await createWorld()
  const { running, parser } = await addStopped(world)
  const { exitCode, stdout } = await running.ended
  expect(JSON.parse(stdout)).toMatchObject({ status: 'added', pages: nPages, failed: [] })
  expect({ exitCode, parser: existsSync(`/proc/${parser}`) }).toEqual({
    exitCode: 0,
    parser: false,
  })
})

test('an interrupt does not wait for a hanging process, and ends it too', async () => {
  await using world = await createWorld()
  const { running, parser } = await addStopped(world)
  await Bun.sleep(500)
  running.kill('SIGINT')
  expect(await running.ended).toMatchObject({ exitCode: 130, stdout: '' })
  while (existsSync(`/proc/${parser}`)) await Bun.sleep(20)
})
