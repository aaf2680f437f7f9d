import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { openHome } from '../support/run-og.ts'

const root = join(import.meta.dirname, '../..')

/** Runs a separate process, because the test is about signals and pipes. */
function start(args: string[], home: string) {
  return Bun.spawn([process.execPath, ...args], {
    cwd: root,
    env: { ...process.env, HOME: home, OG_EMBEDDINGS__EMBEDDING_BACKEND: 'none' },
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
  })
}

const graceful = `
  import { openContext } from './src/cli/context.ts'
  const signal = openContext().interruption()
  process.stdout.write('ready')
  setInterval(() => {}, 1000)
  signal.addEventListener('abort', () => process.stdout.write('aborted'))`

async function readUntil(stream: ReadableStream<Uint8Array>, wanted: string): Promise<void> {
  let text = ''
  const reader = stream.getReader()
  while (!text.includes(wanted)) {
    const { value, done } = await reader.read()
    if (done) throw new Error(`the stream ended after "${text}"`)
    text += new TextDecoder().decode(value)
  }
  reader.releaseLock()
}

test('the first Ctrl-C aborts the signal, and the second ends the process with exit code 130', async () => {
  using home = openHome()
  const child = start(['-e', graceful], home.path)
  await readUntil(child.stdout, 'ready')
  child.kill('SIGINT')
  await readUntil(child.stdout, 'aborted')
  expect(child.exitCode).toBe(null)
  child.kill('SIGINT')
  expect(await child.exited).toBe(130)
})

test('during a graceful stop, Ctrl-C ends the process but another SIGTERM does not', async () => {
  using home = openHome()
  const stopping = graceful.replace('interruption()', 'gracefulStop(60_000)')
  const child = start(['-e', stopping], home.path)
  await readUntil(child.stdout, 'ready')
  child.kill('SIGTERM')
  await readUntil(child.stdout, 'aborted')
  child.kill('SIGTERM')
  child.kill('SIGHUP')
  await Bun.sleep(300)
  expect(child.exitCode).toBe(null)
  child.kill('SIGINT')
  expect(await child.exited).toBe(130)
})

test('Ctrl-C immediately ends a command without an abort signal, with exit code 130', async () => {
  using home = openHome()
  const script = `import { openContext } from './src/cli/context.ts'
    openContext()
    process.stdout.write('ready')
    setInterval(() => {}, 1000)`
  const child = start(['-e', script], home.path)
  await readUntil(child.stdout, 'ready')
  child.kill('SIGINT')
  expect(await child.exited).toBe(130)
})

test('ignores a closed pipe', async () => {
  using home = openHome()
  const og = `${process.execPath} src/main.ts`
  const line = `${og} version --licenses | head -c 10; echo " \${PIPESTATUS[0]}"`
  const child = Bun.spawnSync(['bash', '-c', line], {
    cwd: root,
    env: { ...process.env, HOME: home.path },
  })
  expect(child.stdout.toString()).toBe('og 0.1.0 ( 0\n')
  expect(child.stderr.toString()).toBe('')
})

test('help, version and completion load neither LanceDB nor ONNX Runtime', async () => {
  using home = openHome()
  const script = `
    import { openContext } from './src/cli/context.ts'
    import { run } from './src/cli/run.ts'
    const context = openContext()
    for (const line of ['--help', 'version', 'completion bash']) await run(line.split(' '), context)
    const heavy = /lancedb|onnxruntime|open\\.ts/
    process.exit(Object.keys(require.cache).some((path) => heavy.test(path)) ? 9 : 0)`
  const child = start(['-e', script], home.path)
  await new Response(child.stdout).text()
  expect(await child.exited).toBe(0)
})
