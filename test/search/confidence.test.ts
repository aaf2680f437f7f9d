import { describe, expect, test } from 'bun:test'
import { defaultCalibration, isGoodMatch, type Evidence } from '../../src/search/confidence.ts'

type Asked = Partial<Evidence> & { query: string; text?: string; name?: string; cosine?: number }

const large = { library: 'demo', chunks: 5000, calibration: { own: 0.8, foreign: 0.68 } }

/**
 * Judges five hits with the same text, all as near as the best chunk, which leads the rest by 0.06.
 */
function check({ text = 'nothing of it', name = '', ...asked }: Asked, expected: boolean) {
  const { cosine = null } = asked
  const best = Array.from({ length: 5 }, () => ({ text, names: [name], cosine }))
  const lead = cosine === null ? null : 0.06
  expect(isGoodMatch({ ...large, best, lead, ...asked })).toBe(expected)
}

describe('with embeddings', () => {
  test('accepts near hits and rejects far ones', () => {
    check({ query: 'scale a web deployment down', cosine: 0.79 }, true)
    check({ query: 'scale a web deployment down', cosine: 0.7 }, false)
    check({ query: 'scale a web deployment down', cosine: 0.5 }, false)
  })

  test('accepts farther hits if they contain the words of the query', () => {
    const text = '# Scaling\n\nHow a web deployment is scaled down to zero.'
    check({ query: 'scale a web deployment down', cosine: 0.66, text }, true)
    check({ query: 'scale a kitchen table down', cosine: 0.66, text }, false)
  })

  test('rejects one near hit among five far ones', () => {
    const asked = { query: 'scale a web deployment down', cosine: 0.72, text: 'a web deployment' }
    const far = (cosine: number | null) => ({ text: asked.text, names: [], cosine })
    check(asked, true)
    check({ ...asked, best: [far(0.72), far(0.6), far(0.6), far(null), far(null)] }, false)
  })

  test('accepts a lower cosine if it stands out from the rest', () => {
    const asked = { query: 'scale a web deployment down', cosine: 0.72 }
    check({ ...asked, lead: 0.01 }, false)
    check({ ...asked, lead: 0.14 }, true)
  })

  test('rejects a far hit that contains a query word by chance', () => {
    check({ query: 'limit', cosine: 0.64, text: 'the limit of it' }, false)
    check({ query: 'parseDocument', cosine: 0.6, text: 'call it' }, false)
  })

  test('accepts farther hits in a small library', () => {
    const asked = { query: 'scale a web deployment down', cosine: 0.7 }
    check(asked, false)
    check({ ...asked, chunks: 13 }, true)
    check({ ...asked, chunks: 13, cosine: 0.55 }, false)
  })

  test('accepts farther hits if the query names the library', () => {
    const asked = { query: 'how to begin with the demo today', cosine: 0.68, text: 'today' }
    check(asked, true)
    check({ ...asked, library: 'other' }, false)
    check({ ...asked, query: 'how to begin with democracy today' }, false)
  })

  test('accepts any hit if the library has no usable calibration', () => {
    const query = 'scale a web deployment down'
    check({ query, cosine: 0.3, calibration: null }, true)
    check({ query, cosine: 0.3, calibration: { own: 0.6, foreign: 0.7 } }, true)
  })
})

describe('by words alone', () => {
  const text = 'A deployment has replicas.'
  test('accepts a text or title that contains most of the query words', () => {
    check({ query: 'deployment replicas', text }, true)
    check({ query: 'deployment of two kitchen tables', text }, false)
    check({ query: 'deployment', text: 'a deployment' }, true)
    check({ query: 'deployment', text: 'a development' }, false)
    check({ query: 'deployment tables', text }, false)
    check({ query: 'deployment tables', text, name: 'Deployment' }, true)
  })
  test('needs fewer words if the query names the library', () => {
    check({ query: 'deployment of two kitchen tables in demo', text }, true)
  })
  test('accepts any hit in a library with a few chunks', () => {
    check({ query: 'deployment of two kitchen tables', text, chunks: 12 }, true)
  })
})

test('rejects an empty list of hits', () => {
  check({ query: 'anything', cosine: 0.9, best: [] }, false)
  check({ query: 'anything', best: [], chunks: 3 }, false)
})

test('has a default calibration for the known model only', () => {
  expect(defaultCalibration('BAAI/bge-small-en-v1.5')).not.toBeNull()
  expect(defaultCalibration('some/other')).toBeNull()
})
