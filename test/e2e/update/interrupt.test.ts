import { expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nCached } from '../../support/following/cached.ts'
import { createWorld, type World } from '../../support/e2e.ts'
import { serveEmbeddings } from '../../support/servers/embedding-server.ts'
import { writeFiles } from '../../support/repository.ts'

const nPages = 60

/** Writes pages of one chunk each, with distinct texts that take time to embed. */
function writeDocs(world: World): string {
  const line = (at: number) => `Lighthouse ${at} blinks ${at} times and then rests.\n`
  const page = (at: number) => `# Page ${at}\n\n${line(at).repeat(8)}`
  const files = Array.from({ length: nPages }, (_, at) => [`page${at}.md`, page(at)])
  const folder = join(world.folder, 'docs')
  writeFiles(folder, Object.fromEntries(files))
  return folder
}

const ends = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGKILL', 137],
] as const
test.each(ends)(
  '%s during embedding keeps the embeddings that are finished (W-39)',
  async (signal, code) => {
    await using world = await createWorld({ embeddings: true })
    const docs = writeDocs(world)
    const add = ['add', 'lights', '-s', docs, '-v', '2', '--json']
    const old = join(world.folder, 'old')
    writeFiles(old, { 'old.md': '# Old\n\nOne lamp burned oil.\n' })
    await world.json(['add', 'lights', '-s', old, '-v', '2', '--json'])
    const before = await world.json(['list', '--json'])
    const running = world.start(add)
    while (nCached(world) < 17) await Bun.sleep(5)
    running.kill(signal)
    const { exitCode, stdout, stderr } = await running.ended
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' })
    if (signal !== 'SIGKILL') {
      expect(stderr).toBe(
        'error: Interrupted\n' + 'hint: nothing is lost; run the same command again to continue\n',
      )
    }
    expect(await world.json(['list', '--json'])).toEqual(before)
    const { hits } = await world.json(['query', 'lamp', '--json'])
    expect(hits.map((hit: { title: string }) => hit.title)).toEqual(['Old'])
    const kept = nCached(world) - 1
    expect(kept).toBeGreaterThan(0)
    expect(kept).toBeLessThan(nPages)
    expect(await world.json(add)).toMatchObject({
      status: 'updated',
      pages: nPages,
      chunks: nPages,
      embedded: nPages - kept,
    })
  },
)

test('SIGINT stops a command while the embedding service does not answer', async () => {
  await using world = await createWorld()
  await using server = serveEmbeddings()
  const release = server.hold()
  const add = ['add', 'lights', '-s', writeDocs(world), '--json']
  const running = world.start(add, { env: server.env })
  while (server.texts.length === 0) await Bun.sleep(5)
  running.kill('SIGINT')
  expect(await running.ended).toMatchObject({ exitCode: 130, stdout: '' })
  release()
  expect(await world.json(['list', '--json'])).toEqual([])
  expect(await world.json(add, { env: server.env })).toMatchObject({ embedded: nPages })
})

test('SIGINT stops a command that reads queries from stdin or waits for another og', async () => {
  await using world = await createWorld()
  await using server = serveEmbeddings()
  const docs = writeDocs(world)
  await world.json(['add', 'lights', '-s', docs, '-v', '1', '--json'])
  const fifo = join(world.folder, 'questions')
  const answers = join(world.folder, 'answers')
  Bun.spawnSync(['mkfifo', fifo])
  // A pipe that is open for reading and writing never ends; exec keeps the process id.
  const prefix = ['bash', '-c', `exec "$@" <>'${fifo}' >'${answers}'`, 'bash']
  const asking = world.start(['query', '-', '--jsonl', '-k', '1'], { prefix })
  Bun.spawnSync(['bash', '-c', `echo 'lighthouse 7' > '${fifo}'`])
  while (!existsSync(answers) || !readFileSync(answers, 'utf8').endsWith('\n')) await Bun.sleep(5)
  expect(JSON.parse(readFileSync(answers, 'utf8')).hits[0].title).toBe('Page 7')
  asking.kill('SIGINT')
  expect(await asking.ended).toEqual({ exitCode: 130, stdout: '', stderr: '' })

  const release = server.hold()
  const add = ['add', 'lights', '-s', docs, '-v', '2', '--json']
  const first = world.start(add, { env: server.env })
  while (server.texts.length === 0) await Bun.sleep(5)
  const said = join(world.folder, 'said')
  const heard = ['bash', '-c', `exec "$@" 2>'${said}'`, 'bash']
  const second = world.start(add, { prefix: heard })
  const words = () => (existsSync(said) ? readFileSync(said, 'utf8') : '')
  while (!words().includes('waiting for another og')) await Bun.sleep(5)
  second.kill('SIGINT')
  expect(await second.ended).toMatchObject({ exitCode: 130, stdout: '' })
  expect(words()).toContain('error: Interrupted\n')
  release()
  expect((await first.ended).exitCode).toBe(0)
})
