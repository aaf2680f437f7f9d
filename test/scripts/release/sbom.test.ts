import { expect, test } from 'bun:test'
import { sbom } from '../../../scripts/release/sbom.ts'
import { defaultModel } from '../../../src/embed/models.ts'
import { targetNamed, targets } from '../../../scripts/build/target.ts'

type Document = {
  packages: { SPDXID: string; name: string; versionInfo: string; checksums?: object[] }[]
  relationships: { relatedSpdxElement: string; relationshipType: string }[]
}
const commit = { commit: 'c0ffee', date: '2026-01-02T03:04:05.000Z' }

test('lists the runtime, addons, packages, the model and its weights', () => {
  const trials = { 'linux-arm64': '0.31.0' }
  const document = sbom(targets, { ...commit, trials }) as Document
  const versionOf = (name: string) => document.packages.find((it) => it.name === name)?.versionInfo
  for (const { runtime } of targets) expect(versionOf(runtime.name)).toBe(Bun.version)
  expect(versionOf('@lancedb/lancedb-linux-arm64-gnu')).toBe('0.31.0')
  expect(versionOf('onnxruntime-node')).toMatch(/^1\./)
  expect(versionOf('og kernels')).toMatch(/^\d/)
  const weights = document.packages.find((it) => it.name === defaultModel.encoder.name)
  expect(weights?.checksums).toEqual([
    { algorithm: 'SHA256', checksumValue: defaultModel.encoder.sha256 },
  ])
  const related = document.relationships.map((it) => it.relatedSpdxElement)
  expect(related).toEqual(document.packages.map((it) => it.SPDXID))
  expect(new Set(related).size).toBe(related.length)
  expect(sbom(targets, { ...commit, trials })).toEqual(document)
})

test('rejects an unknown target and lists the known ones', () => {
  expect(targetNamed('linux-x64').platform).toBe('linux')
  expect(() => targetNamed('amiga')).toThrow('Cannot build for "amiga": known are linux-x64, ')
})
