import { describe, expect, test } from 'bun:test'
import { defaultCalibration, isGoodMatch, type Evidence } from '../../src/search/confidence.ts'

type Asked = Partial<Evidence> & { query: string; text?: string; name?: string; cosine?: number }

const large = { library: 'demo', chunks: 5000, calibration: { own: 0.8, foreign: 0.68 } }

/** Five hits of one text, as near to the query as the nearest chunk, which leads by a little. */
function check({ text = 'nothing of it', name = '', ...asked }: Asked, expected: boolean) {
  const { cosine = null } = asked
  const best = Array.from({ length: 5 }, () => ({ text, names: [name], cosine }))
  const lead = cosine === null ? null : 0.06
  expect(isGoodMatch({ ...large, best, lead, ...asked })).toBe(expected)
}

describe('by embeddings', () => {
  test('near is good, far is not', () => {
    check({ query: 'scale a web deployment down', cosine: 0.79 }, true)
    check({ query: 'scale a web deployment down', cosine: 0.7 }, false)
    check({ query: 'scale a web deployment down', cosine: 0.5 }, false)
  })

  test('what holds the words of the query may be farther away', () => {
    const text = '# Scaling\n\nHow a web deployment is scaled down to zero.'
    check({ query: 'scale a web deployment down', cosine: 0.66, text }, true)
    check({ query: 'scale a kitchen table down', cosine: 0.66, text }, false)
  })

  test('one near passage among five far ones is less than five', () => {
    const asked = { query: 'scale a web deployment down', cosine: 0.72, text: 'a web deployment' }
    const far = (cosine: number | null) => ({ text: asked.text, names: [], cosine })
    check(asked, true)
    check({ ...asked, best: [far(0.72), far(0.6), far(0.6), far(null), far(null)] }, false)
  })

  test('a nearest that stands out from the rest is good the sooner', () => {
    const asked = { query: 'scale a web deployment down', cosine: 0.72 }
    check({ ...asked, lead: 0.01 }, false)
    check({ ...asked, lead: 0.14 }, true)
  })

  test('a word may stand there by chance', () => {
    check({ query: 'limit', cosine: 0.64, text: 'the limit of it' }, false)
    check({ query: 'parseDocument', cosine: 0.6, text: 'call it' }, false)
  })

  test('in a small library what is nearest may be farther away', () => {
    const asked = { query: 'scale a web deployment down', cosine: 0.7 }
    check(asked, false)
    check({ ...asked, chunks: 13 }, true)
    check({ ...asked, chunks: 13, cosine: 0.55 }, false)
  })

  test('who names the library means it', () => {
    const asked = { query: 'how to begin with the demo today', cosine: 0.68, text: 'today' }
    check(asked, true)
    check({ ...asked, library: 'other' }, false)
    check({ ...asked, query: 'how to begin with democracy today' }, false)
  })

  test('in doubt it is good: not measured, or measured in vain', () => {
    const query = 'scale a web deployment down'
    check({ query, cosine: 0.3, calibration: null }, true)
    check({ query, cosine: 0.3, calibration: { own: 0.6, foreign: 0.7 } }, true)
  })
})

describe('by words alone', () => {
  const text = 'A deployment has replicas.'
  test('most of the words stand in one text, or it is called so', () => {
    check({ query: 'deployment replicas', text }, true)
    check({ query: 'deployment of two kitchen tables', text }, false)
    check({ query: 'deployment', text: 'a deployment' }, true)
    check({ query: 'deployment', text: 'a development' }, false)
    check({ query: 'deployment tables', text }, false)
    check({ query: 'deployment tables', text, name: 'Deployment' }, true)
  })
  test('who names the library needs to find less', () => {
    check({ query: 'deployment of two kitchen tables in demo', text }, true)
  })
  test('not in a library of a few chunks', () => {
    check({ query: 'deployment of two kitchen tables', text, chunks: 12 }, true)
  })
})

test('nothing is no match', () => {
  check({ query: 'anything', cosine: 0.9, best: [] }, false)
  check({ query: 'anything', best: [], chunks: 3 }, false)
})

test('what was never measured has a default for the model that is known', () => {
  expect(defaultCalibration('BAAI/bge-small-en-v1.5')).not.toBeNull()
  expect(defaultCalibration('some/other')).toBeNull()
})
