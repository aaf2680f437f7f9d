import { describe, expect, test } from 'bun:test'
import {
  defaultCalibration,
  rateEvidence,
  type Confidence,
  type Evidence,
} from '../../src/search/confidence.ts'

type Asked = Partial<Evidence> & { query: string; text?: string; name?: string; cosine?: number }

const large = { library: 'demo', chunks: 5000, calibration: { own: 0.8, foreign: 0.68 } }

/** Rates five hits with the same text, all as near as the best chunk. */
function check({ text = 'nothing of it', name = '', ...asked }: Asked, expected: Confidence) {
  const { cosine = null } = asked
  const best = Array.from({ length: 5 }, () => ({ text, names: [name], cosine }))
  const lead = cosine === null ? null : 0.06
  expect(rateEvidence({ ...large, best, lead, agreement: 0.5, ...asked })).toBe(expected)
}

describe('with embeddings', () => {
  const query = 'scale a web deployment down'
  const text = '# Scaling\n\nHow a web deployment is scaled down to zero.'

  test('rates near hits with the query words high and distant hits weak', () => {
    check({ query, cosine: 0.8, text }, 'high')
    check({ query, cosine: 0.66, text }, 'medium')
    check({ query, cosine: 0.6 }, 'weak')
  })

  test('lowers the level if no text contains a term of the query', () => {
    const half = 'A deployment of something.'
    check({ query, cosine: 0.76, text }, 'high')
    check({ query, cosine: 0.76, text: half }, 'medium')
    check({ query, cosine: 0.7 }, 'weak')
  })

  test('raises the level if one hit stands out, or if both lanes agree on it', () => {
    const asked = { query, cosine: 0.72, text: 'web deployment' }
    check(asked, 'medium')
    check({ ...asked, lead: 0.24 }, 'high')
    check({ ...asked, agreement: 1, pageLead: 1, lead: 0.13 }, 'high')
    check({ ...asked, agreement: 0, lead: 0 }, 'weak')
  })

  test('rates one near hit among distant hits lower', () => {
    const far = (cosine: number | null) => ({ text, names: [], cosine })
    check({ query, cosine: 0.7, text }, 'high')
    check({ query, cosine: 0.7, best: [far(0.7), far(0.5), far(0.5), far(0.5)] }, 'medium')
  })

  test('raises the level in a small library', () => {
    check({ query, cosine: 0.66, text, lead: 0.09 }, 'medium')
    check({ query, cosine: 0.66, text, lead: 0.09, chunks: 13 }, 'high')
  })

  test('does not raise the level for a query that names the library', () => {
    check({ query: 'how to scale the demo down', cosine: 0.7, text: 'scale it' }, 'weak')
  })

  test('lowers a high level if a rare term of the query is in no hit', () => {
    const termWeight = (term: string) => (term === 'kuberai' ? 6 : 1)
    const asked = { query: `${query} of kuberay`, cosine: 0.85, text, termWeight }
    check({ ...asked, termWeight: () => 1, unknownWeight: 6 }, 'high')
    check({ ...asked, unknownWeight: 6, lead: 0.3 }, 'medium')
    check({ ...asked, unknownWeight: 6, lead: 0.3, library: 'kuberay' }, 'high')
    check({ ...asked, unknownWeight: 6, lead: 0.3, text: `${text} With kuberay.` }, 'high')
    check({ ...asked, lead: 0.3 }, 'high')
  })

  test('rates near hits high in a library without guides, although a rare term is in none', () => {
    const termWeight = (term: string) => (term === 'kuberai' ? 6 : 1)
    const rare = { termWeight, unknownWeight: 6, text: 'web deployment scaling' }
    const asked = { query: `${query} of kuberay`, cosine: 0.82, ...rare }
    check({ ...asked, guideShare: 1 }, 'medium')
    check({ ...asked, guideShare: 0.1 }, 'high')
    check({ ...asked, guideShare: 0.1, cosine: 0.66 }, 'weak')
    check({ ...asked, guideShare: 0.1, cosine: 0.71 }, 'medium')
  })

  test('rates hits medium if the library has no usable calibration', () => {
    check({ query, cosine: 0.3, calibration: null }, 'medium')
    check({ query, cosine: 0.3, calibration: { own: 0.6, foreign: 0.7 } }, 'medium')
  })
})

describe('by words alone', () => {
  const text = 'A deployment has replicas.'
  test('accepts a text or title that contains most of the query words', () => {
    check({ query: 'deployment replicas', text }, 'high')
    check({ query: 'deployment of two kitchen tables', text }, 'weak')
    check({ query: 'deployment', text: 'a deployment' }, 'high')
    check({ query: 'deployment', text: 'a development' }, 'weak')
    check({ query: 'deployment tables', text }, 'weak')
    check({ query: 'deployment tables', text, name: 'Deployment' }, 'high')
  })
  test('needs as many words if the query names the library', () => {
    check({ query: 'deployment of two kitchen tables in demo', text }, 'weak')
  })
  test('accepts any hit in a library with only a few chunks', () => {
    check({ query: 'deployment of two kitchen tables', text, chunks: 12 }, 'high')
  })
})

test('rejects an empty list of hits', () => {
  check({ query: 'anything', cosine: 0.9, best: [] }, 'weak')
  check({ query: 'anything', best: [], chunks: 3 }, 'weak')
})

test('has a default calibration only for the known model, with lower cosines for few chunks', () => {
  const [few, many] = [4, 2000].map((n) => defaultCalibration('BAAI/bge-small-en-v1.5', n)!)
  expect(few!.foreign).toBeLessThan(many!.foreign)
  expect(few!.own).toBeLessThan(many!.own)
  expect(defaultCalibration('some/other', 4)).toBeNull()
})
