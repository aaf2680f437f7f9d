import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { userPaths } from '../../../../src/config/paths.ts'
import { openHome } from '../../../support/run-og.ts'
import { openEach } from '../../../support/run/dispose.ts'
import { serveLocal } from '../../../support/servers/serve-local.ts'

const home = openEach(openHome)

function setVariable(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name]
  else process.env[name] = value
}

const config = () => JSON.parse(readFileSync(userPaths({ HOME: home().path }).configFile(), 'utf8'))

test('uses a model after checking its files, and names its licence', async () => {
  await home().run(['config', 'set', 'embeddings.embedding_backend', 'none'])
  const { code, stdout, stderr } = await home().run(['model', 'use', 'BGE-small-en-v1.5', '--json'])
  expect([code, JSON.parse(stdout)]).toEqual([
    0,
    {
      model: 'BAAI/bge-small-en-v1.5',
      license: 'MIT',
      bytes: 34_725_822,
      dimensions: 384,
      origin: 'embedded',
    },
  ])
  expect(stderr).toContain('licence MIT')
  expect(stderr).toContain('"og reembed" embeds the indexed libraries with it')
  expect(config().embeddings).toEqual({
    embedding_backend: 'builtin',
    embedding_model: 'BAAI/bge-small-en-v1.5',
    embedding_dimensions: 384,
  })
})

test('changes no setting if the files are not the pinned ones', async () => {
  const asked: string[] = []
  using server = serveLocal((request) => {
    asked.push(new URL(request.url).pathname)
    return new Response('another model')
  })
  // The address of the hub is read from the process, like proxies.
  const hub = process.env.HF_ENDPOINT
  process.env.HF_ENDPOINT = `http://127.0.0.1:${server.port}`
  using _ = { [Symbol.dispose]: () => setVariable('HF_ENDPOINT', hub) }
  await home().run(['config', 'set', 'query.top_k', '6'])
  const model = 'granite-embedding-small-english-r2'
  const { code, stdout, stderr } = await home().run(['model', 'use', model])
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toContain('licence Apache-2.0')
  expect(stderr).toContain('tokenizer.json')
  expect(new Set(asked)).toEqual(
    new Set([
      '/onnx-community/granite-embedding-small-english-r2-ONNX/resolve/' +
        '1dc7835ba0cb9c76a3618d0bf0c427c97671b3c8/tokenizer.json',
    ]),
  )
  expect(config()).toEqual({ query: { top_k: 6 } })
  expect((await home().run(['model', 'use', 'x'])).stderr).toContain(
    'Cannot use embedding model "x"',
  )
})

test('warns if a variable keeps another model', async () => {
  const env = { OG_EMBEDDINGS__EMBEDDING_MODEL: 'all-MiniLM-L6-v2' }
  const { stderr } = await home().run(['model', 'use', 'bge-small-en-v1.5'], { env })
  expect(stderr).toContain('OG_EMBEDDINGS__EMBEDDING_MODEL is set')
})

test('lists models with size, licence and state', async () => {
  const env = { OG_EMBEDDINGS__EMBEDDING_BACKEND: 'builtin' }
  const { stdout } = await home().run(['model', 'list'], { env })
  expect(stdout).toMatch(/^BAAI\/bge-small-en-v1\.5 +384 +\S+ \S+ +MIT +used$/m)
  expect(stdout).toMatch(/^ibm-granite\/\S+ +384 +\S+ \S+ +Apache-2\.0 +-$/m)
  const { models } = JSON.parse((await home().run(['model', 'list', '--json'], { env })).stdout)
  expect(models.map(({ used }: { used: boolean }) => used).filter(Boolean)).toHaveLength(1)
})
