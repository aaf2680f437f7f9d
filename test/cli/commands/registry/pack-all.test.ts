import { expect, test } from 'bun:test'
import { portableSettings } from '../../../../src/cli/commands/registry/pack-all.ts'

test('excludes secrets, paths and defaults from portable settings', async () => {
  const check = async (env: Record<string, string>, expected: object | null) => {
    const text = await portableSettings({ HOME: '/none', ...env })
    expect(text === null ? null : JSON.parse(text)).toEqual(expected)
  }
  await check({}, null)
  await check(
    {
      OG_QUERY__TOP_K: '7',
      OG_EMBEDDINGS__API_KEY: 'secret',
      OG_DB_PATH: '/srv/store',
      OG_EMBEDDINGS__MODEL_DIR: '/srv/model',
      OG_EMBEDDINGS__EMBEDDING_BACKEND: 'none',
    },
    { query: { top_k: 7 }, embeddings: { embedding_backend: 'none' } },
  )
  await check({ OG_EMBEDDINGS__BASE_URL: 'https://ann:secret@models.example/v1' }, null)
})
