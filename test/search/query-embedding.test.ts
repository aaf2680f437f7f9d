import { expect, test } from 'bun:test'
import { embedSearchQuery } from '../../src/search/query-embedding.ts'

/** Embeds text as its length including the prefix, and records the calls. */
async function check(text: string, queryPrefix: string, expected: { asked: string[]; is: number }) {
  const asked: string[] = []
  const fingerprint = { model: 'm', dimensions: 1, pooling: 'cls', queryPrefix }
  const embedQuery = async (query: string, prefix = queryPrefix) => {
    asked.push(prefix + query)
    embedder.detail = 'avx2'
    return Float32Array.of((prefix + query).length)
  }
  const embedder = { fingerprint, embedQuery, arithmetic: 'int8', detail: 'loading' }
  const {
    vector: [is],
    engine,
  } = await embedSearchQuery(embedder, text)
  expect(engine).toBe('m, int8, avx2')
  expect(asked).toEqual(expected.asked)
  expect(is).toBeCloseTo(expected.is, 5)
}

test('embeds a question with the query prefix', async () => {
  const question = 'how is the kettle descaled at home'
  await check(question, 'Q: ', { asked: [`Q: ${question}`], is: question.length + 3 })
})

test('embeds a name with and without the query prefix', async () => {
  await check('$map', 'Q: ', { asked: ['Q: $map', '$map'], is: 0.7 * 7 + 0.3 * 4 })
})

test('embeds a name only once if the model has no query prefix', async () => {
  await check('$map', '', { asked: ['$map'], is: 4 })
})
