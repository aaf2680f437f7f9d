import { expect, test } from 'bun:test'
import { embedderRecipe, endpointUrl } from '../../src/config/embedders.ts'
import { loadConfig } from '../../src/config/load.ts'

test('describes the embedder from the settings without opening it', async () => {
  await check({}, { model: 'BAAI/bge-small-en-v1.5', arithmetic: 'int8' })
  await check({ EMBEDDING_BACKEND: 'none' }, null)
  await check(
    { EMBEDDING_BACKEND: 'openai', EMBEDDING_MODEL: 'm' },
    { model: 'm', arithmetic: 'openai' },
  )
})

test('uses the configured endpoint, or otherwise the OpenAI endpoint', async () => {
  expect(endpointUrl(await loadConfig({ HOME: '/nowhere' }))).toBe('https://api.openai.com/v1')
  const named = await loadConfig({ HOME: '/nowhere', OG_EMBEDDINGS__BASE_URL: 'http://h/v1' })
  expect(endpointUrl(named)).toBe('http://h/v1')
})

async function check(
  settings: Record<string, string>,
  expected: { model: string; arithmetic: string } | null,
): Promise<void> {
  const named = Object.entries(settings).map(([name, value]) => [`OG_EMBEDDINGS__${name}`, value])
  const config = await loadConfig({ HOME: '/nowhere', ...Object.fromEntries(named) })
  const recipe = embedderRecipe(config)
  const { fingerprint, arithmetic } = recipe ?? {}
  expect(recipe && { model: fingerprint!.model, arithmetic }).toEqual(expected as never)
}
