import { expect, setDefaultTimeout, test } from 'bun:test'
import { join } from 'node:path'
import { nCached } from '../../support/following/cached.ts'
import { createWorld, type World } from '../../support/e2e.ts'
import { writeFiles } from '../../support/repository.ts'
import { runInProcess } from '../../support/run-og.ts'
import { until } from '../../support/until.ts'

const [nPages, nSections] = [30, 10]
const nChunks = nPages * nSections
/**
 * How often the test kills og between the first publication and the last; use TEST_KILLS=50 for a
 * thorough run.
 */
const nKills = Number(process.env.TEST_KILLS ?? 3)
setDefaultTimeout(nKills * 60_000)

/** Writes pages whose sections are one chunk each. */
function writeDocs(world: World): string {
  // The text has many characters and few tokens, unless the test kills often.
  const words = nKills > 4 ? 'a b c d e f g h '.repeat(60) : 'documentation information '.repeat(38)
  const section = (page: number, at: number) =>
    `## Lamp ${page}x${at}\n\n\`blink_${page}_${at}()\` says ${words}.\n`
  const page = (page: number) =>
    Array.from({ length: nSections }, (_, at) => section(page, at)).join('\n')
  const files = Array.from({ length: nPages }, (_, at) => [`page${at}.md`, page(at)])
  const folder = join(world.folder, 'docs')
  writeFiles(folder, Object.fromEntries(files))
  return folder
}

/** Reads in this process, because starting one at each call would slow down the embedding. */
async function isIncomplete({ env }: World): Promise<boolean> {
  const [listed] = JSON.parse((await runInProcess(env, ['list', '--json'])).stdout)
  return /^\d+ % embedded$/.test(listed?.stale[0]?.what)
}

test('keeps a killed, partly embedded library searchable, and resumes its embedding', async () => {
  await using world = await createWorld({ embeddings: true })
  const add = ['add', 'lights', '-s', writeDocs(world), '-v', '2', '--json']
  let kept = 0
  for (let kill = 1; kill <= nKills; kill++) {
    const running = world.start(add)
    await until('it is searchable', () => isIncomplete(world))
    const wanted = kept + Math.random() * ((nChunks - kept) / (nKills - kill + 2))
    await until('more is kept', () => nCached(world) >= wanted)
    running.kill('SIGKILL')
    expect((await running.ended).exitCode).toBe(137)
    kept = nCached(world)
    expect(kept).toBeGreaterThanOrEqual(wanted)
    expect(await world.json(['list', '--json'])).toMatchObject([
      { chunks: nChunks, stale: [{ remedy: 'og add --resume' }] },
    ])
    const answer = await world.json(['query', 'blink_7_9', '--json', '-k', '3'])
    expect(answer.hits[0].heading).toContain('Lamp 7x9')
    expect(answer.notes).toMatchObject([{ kind: 'incomplete', library: 'lights', chunks: nChunks }])
  }
  const told = await world.og(['query', 'blink_7_9'])
  expect(told.stderr).toMatch(/^lights 2: \d+ % of its passages by meaning so far\n/)
  const { documentation } = await world.json(['context', 'blink_7_9', '--json', '-l', 'lights'])
  expect(documentation.notes).toMatchObject([{ library: 'lights', version: '2' }])

  const { results } = await world.json(['add', '--resume', '--json'])
  // og embeds no text twice.
  expect(results).toMatchObject([{ status: 'updated', chunks: nChunks, embedded: nChunks - kept }])
  expect((await world.json(['query', 'blink_7_9', '--json'])).notes).toEqual([])
  expect((await world.og(['add', '--resume'])).stderr).toBe('Nothing is incomplete.\n')
})
