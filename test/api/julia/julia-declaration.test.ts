import { expect, test } from 'bun:test'
import { argumentType, objectAt, splitArguments } from '../../../src/api/julia/julia-declaration.ts'
import { usedCpuMs } from '../../support/pages/cpu-time.ts'

const check = (source: string, expected: Record<string, unknown> | null) => {
  const object = objectAt(source, 0)
  if (expected === null) expect(object).toBeNull()
  else expect(object).toMatchObject(expected)
}

test('reads functions and macros with the types of their arguments', () => {
  check('function f(x::Int, y = 1; z::T = 2) where {T}\n 1\nend', {
    kind: 'function',
    name: 'f',
    types: ['Int', 'Any'],
    required: 1,
    signature: 'f(x::Int, y = 1; z::T = 2) where {T}',
  })
  check('Base.show(io::IO, ::MIME"text/plain", a::M.A{T}) where {T} = 1', {
    name: 'show',
    qualifier: 'Base',
    types: ['IO', 'MIME"text/plain"', 'A{T}'],
  })
  check('@inline function g!(xs...) end', { name: 'g!', types: ['Any'], required: 0 })
  check('function (m::Dense)(x) end', { name: 'Dense', types: ['Any'] })
  check('function h end', { kind: 'function', name: 'h', types: null, signature: '' })
  check('Base.:(==)(a::A, b::A) = true', { name: '==', qualifier: 'Base', types: ['A', 'A'] })
  check('macro m(x, y) end', { kind: 'macro', name: '@m', signature: '@m(x, y)' })
  check(':(@m)', { kind: 'macro', name: '@m' })
})

test('reads types, constants and modules', () => {
  check('mutable struct A{T} <: B\n x\nend', {
    kind: 'type',
    name: 'A',
    signature: 'mutable struct A{T} <: B',
  })
  check('Base.@kwdef struct A\n x\nend', { kind: 'type', name: 'A' })
  check('abstract type A <: B end', { kind: 'type', name: 'A', signature: 'abstract type A <: B' })
  check('@enum Color red green', { name: 'Color' })
  check('const x = 1\ny', { kind: 'constant', name: 'x', signature: 'const x = 1' })
  check('module A\nend', { kind: 'module', name: 'A' })
  check('A', { kind: 'type', name: 'A' })
})

test('documents no object before the end of a block or an interpolated name', () => {
  for (const source of ['end', 'else', '"text"', '$f(x) = 1', '']) check(source, null)
})

test('splits arguments outside brackets', () => {
  expect(splitArguments('a::T{A, B}, f(x, y) = 1; b, c')).toEqual(['a::T{A, B}', 'f(x, y) = 1'])
  expect(splitArguments('')).toEqual([])
})

test('reads the type of an argument', () => {
  expect(['x', 'x::A.B = c', '::Type{<:T}', 'x::T where T<:Real'].map(argumentType)).toEqual([
    'Any',
    'B',
    'Type{<:T}',
    'TwhereT<:Real',
  ])
})

test('searches the end of the arguments only near their start', () => {
  const source = 'f( # """$(((\n)\n'.repeat(20_000)
  const started = usedCpuMs()
  for (let at = 0; at < 20_000; at++) objectAt(source, at * 15)
  expect(usedCpuMs() - started).toBeLessThan(5000)
})
