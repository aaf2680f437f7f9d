import { oneLine } from '../../platform/text/trim.ts'
import { fenceCode } from '../../document/fence.ts'
import { notTextError, unreadableError } from '../decode.ts'
import {
  type JsonObject,
  type Spec,
  resolveReference,
  scalarText,
  renderProperties,
  schemaLimits,
  schemaType,
} from './schema-text.ts'
import { isRecord } from '../../platform/json.ts'

/** A page of a web API description: the overview or an operation. */
type OperationPage = { id: string; title: string; description: string | null; text: string }

/** Maximum number of operations. Large cloud APIs have about a thousand. */
const operationLimit = 5000
/** Maximum number of characters on all pages, which repeat their schemas. */
const totalLimit = 32e6

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/**
 * Returns the pages of an OpenAPI 3 or Swagger 2 description: an overview with all operations, and
 * one page per operation, such as `GET /pets/{id}`. Resolves references in the same file.
 * @throws OgError with `path` (`not-text`) if the file is not such a description
 */
export async function openApiPages(text: string, path: string): Promise<OperationPage[]> {
  const spec = await parsed(text, path)
  const version = scalarText(spec.openapi) || scalarText(spec.swagger)
  if (!/^[23]\b/.test(version)) throw notTextError(path, 'not an OpenAPI description')
  const operations = [...operationsOf(spec)]
  const pages = [overview(spec, operations)]
  let length = pages[0]!.text.length
  for (const one of operations) {
    const page = operationPage(spec, one)
    if ((length += page.text.length) > totalLimit) {
      throw unreadableError(
        path,
        `its operations are more than ${totalLimit / 1e6} million characters`,
      )
    }
    pages.push(page)
  }
  return pages
}

async function parsed(text: string, path: string): Promise<Spec> {
  // Other YAML files can be large, and the YAML parser is slow.
  if (!/openapi|swagger/.test(text)) throw notTextError(path, 'not an OpenAPI description')
  const root = text.trimStart().startsWith('{') ? jsonOf(text) : await yamlOf(text)
  if (!isRecord(root)) throw notTextError(path, 'not an OpenAPI description')
  return root
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

async function yamlOf(text: string): Promise<unknown> {
  const { parse } = await import('yaml')
  try {
    return parse(text, {
      schema: 'core',
      logLevel: 'silent',
      maxAliasCount: 100,
      prettyErrors: false,
      uniqueKeys: false,
    })
  } catch {
    return null // Not YAML, or nested too deeply for the parser.
  }
}

type Operation = { method: string; route: string; item: JsonObject; operation: JsonObject }

function* operationsOf(spec: Spec): Generator<Operation> {
  let count = 0
  for (const kind of ['paths', 'webhooks'] as const) {
    const paths = spec[kind]
    if (!isRecord(paths)) continue
    for (const [route, value] of Object.entries(paths)) {
      const item = resolveReference(spec, value)
      if (!isRecord(item)) continue
      for (const method of methods) {
        const operation = item[method]
        if (!isRecord(operation) || ++count > operationLimit) continue
        yield { method: method.toUpperCase(), route, item, operation }
      }
    }
  }
}

function nameOf({ method, route }: Operation): string {
  return `${method} ${route}`
}

function overview(spec: Spec, operations: readonly Operation[]): OperationPage {
  const head = isRecord(spec.info) ? spec.info : {}
  const title = scalarText(head.title) || 'API'
  const lines = [`# ${title}`, scalarText(head.description) || scalarText(head.summary)]
  if (scalarText(head.version)) lines.push(`Version ${scalarText(head.version)}`)
  lines.push(serversOf(spec), securityOf(spec))
  const listed = operations.map(
    (one) => `- \`${nameOf(one)}\`${dash(scalarText(one.operation.summary))}`,
  )
  if (listed.length > 0) lines.push('## Operations', listed.join('\n'))
  const text = `${lines.filter((line) => line !== '').join('\n\n')}\n`
  return { id: '', title, description: firstLine(scalarText(head.description)), text }
}

function serversOf(spec: Spec): string {
  const servers = Array.isArray(spec.servers) ? spec.servers : []
  const urls = servers
    .filter(isRecord)
    .map((server) => scalarText(server.url))
    .filter(Boolean)
  if (scalarText(spec.host)) urls.push(scalarText(spec.host) + scalarText(spec.basePath))
  return urls.length === 0
    ? ''
    : `Servers: ${urls
        .slice(0, 20)
        .map((url) => `\`${url}\``)
        .join(', ')}`
}

function securityOf(spec: Spec): string {
  const { components } = spec
  const schemes =
    (isRecord(components) ? components.securitySchemes : null) ?? spec.securityDefinitions
  if (!isRecord(schemes)) return ''
  const lines = Object.entries(schemes)
    .slice(0, 50)
    .flatMap(([name, value]) => {
      const scheme = resolveReference(spec, value)
      if (!isRecord(scheme)) return []
      const kind = [scheme.type, scheme.scheme, scheme.in, scheme.name]
        .map(scalarText)
        .filter(Boolean)
      return [
        `- \`${name}\`: ${kind.join(' ')}${dash(firstLine(scalarText(scheme.description)) ?? '')}`,
      ]
    })
  return lines.length === 0 ? '' : `## Authentication\n\n${lines.join('\n')}`
}

function operationPage(spec: Spec, one: Operation): OperationPage {
  const { operation, item } = one
  const title = nameOf(one)
  const summary = scalarText(operation.summary) || scalarText(item.summary)
  const description = scalarText(operation.description) || scalarText(item.description)
  const lines = [`# ${title}`, summary, description === summary ? '' : description]
  if (operation.deprecated === true) lines.push('**Deprecated**')
  const id = scalarText(operation.operationId)
  if (id !== '') lines.push(`Operation \`${id}\``)
  lines.push(
    renderParameters(spec, [item.parameters, operation.parameters]),
    renderRequestBody(spec, operation),
    renderResponses(spec, operation),
  )
  const text = `${lines.filter((line) => line !== '').join('\n\n')}\n`
  return { id: title, title, description: firstLine(summary || description), text }
}

function dash(text: string): string {
  return text === '' ? '' : `: ${text.split('\n')[0]}`
}

function firstLine(text: string): string | null {
  return (
    text
      .split('\n')
      .find((line) => line.trim() !== '')
      ?.trim() ?? null
  )
}

/** Maximum number of characters of an example. */
const exampleLimit = 4000

/** Renders an operation's parameters as a list below a heading; '' if it has none. */
export function renderParameters(spec: Spec, lists: readonly unknown[]): string {
  const byKey = new Map<string, string>()
  for (const list of lists) {
    if (!Array.isArray(list)) continue
    for (const value of list.slice(0, 500)) {
      const parameter = resolveReference(spec, value)
      // In Swagger 2, the body is a parameter, which `renderRequestBody` renders.
      if (!isRecord(parameter) || parameter.in === 'body') continue
      byKey.set(
        `${scalarText(parameter.in)} ${scalarText(parameter.name)}`,
        parameterLine(spec, parameter),
      )
    }
  }
  return byKey.size === 0 ? '' : `## Parameters\n\n${[...byKey.values()].join('\n')}`
}

function parameterLine(spec: Spec, parameter: JsonObject): string {
  const schema = parameter.schema ?? mediaOf(parameter.content)?.schema ?? parameter
  const facts = [
    `in ${scalarText(parameter.in)}`,
    schemaType(spec, schema),
    parameter.required === true ? 'required' : '',
    ...schemaLimits(resolveReference(spec, schema)),
  ]
  const about = oneLine(scalarText(parameter.description))
  const description = facts.filter((fact) => fact !== '').join(', ')
  return `- \`${scalarText(parameter.name)}\` (${description})${about === '' ? '' : `: ${about}`}`
}

function mediaOf(content: unknown): JsonObject | null {
  const media = isRecord(content) ? Object.values(content)[0] : null
  return isRecord(media) ? media : null
}

function renderRequestBody(spec: Spec, operation: JsonObject): string {
  const body = resolveReference(spec, operation.requestBody) ?? swaggerBody(spec, operation)
  if (!isRecord(body)) return ''
  const parts = [
    '## Request body',
    scalarText(body.description),
    ...contentText(spec, body.content),
  ]
  return parts.filter((part) => part !== '').join('\n\n')
}

/** Returns Swagger 2's body, which is a parameter, in the form of OpenAPI 3. */
function swaggerBody(spec: Spec, operation: JsonObject): JsonObject | null {
  const parameters = Array.isArray(operation.parameters) ? operation.parameters : []
  const body = parameters
    .map((value) => resolveReference(spec, value))
    .find((parameter) => isRecord(parameter) && parameter.in === 'body')
  if (!isRecord(body)) return null
  const consumes = Array.isArray(operation.consumes) ? scalarText(operation.consumes[0]) : ''
  const content = { [consumes || 'application/json']: { schema: body.schema } }
  return { description: body.description, content }
}

function renderResponses(spec: Spec, operation: JsonObject): string {
  if (!isRecord(operation.responses)) return ''
  const parts = Object.entries(operation.responses)
    .slice(0, 50)
    .flatMap(([status, value]) => {
      const response = resolveReference(spec, value)
      if (!isRecord(response)) return []
      // In Swagger 2, the schema is in the response itself.
      const content =
        response.content ??
        (response.schema === undefined ? undefined : { 'application/json': swaggerMedia(response) })
      const about = scalarText(response.description)
      return [
        `### ${status}${about === '' ? '' : ` ${oneLine(about)}`}`,
        ...contentText(spec, content),
      ]
    })
  return parts.length === 0 ? '' : ['## Responses', ...parts].join('\n\n')
}

function swaggerMedia({ schema, examples }: JsonObject): JsonObject {
  const example = isRecord(examples) ? Object.values(examples)[0] : undefined
  return { schema, ...(example === undefined ? {} : { example }) }
}

function contentText(spec: Spec, content: unknown): string[] {
  if (!isRecord(content)) return []
  const parts: string[] = []
  let last = ''
  for (const [type, media] of Object.entries(content).slice(0, 10)) {
    if (!isRecord(media)) continue
    const properties = renderProperties(spec, media.schema)
    const head = `\`${type}\` ${schemaType(spec, media.schema)}`.trim()
    parts.push(head)
    // Several media types often share one schema.
    if (properties !== last) parts.push(properties)
    last = properties
    parts.push(...examplesOf(spec, media))
  }
  return parts.filter((part) => part !== '')
}

function examplesOf(spec: Spec, media: JsonObject): string[] {
  const examples: [string, unknown][] = media.example === undefined ? [] : [['', media.example]]
  if (isRecord(media.examples)) {
    for (const [name, entry] of Object.entries(media.examples).slice(0, 5)) {
      const example = resolveReference(spec, entry)
      if (isRecord(example) && example.value !== undefined) examples.push([name, example.value])
    }
  }
  const schema = resolveReference(spec, media.schema)
  if (examples.length === 0 && isRecord(schema) && schema.example !== undefined) {
    examples.push(['', schema.example])
  }
  return examples.flatMap(([name, value]) => {
    const isText = typeof value === 'string'
    const code = isText ? value : exampleJson(value)
    if (code === '' || code.length > exampleLimit) return []
    return [name === '' ? 'Example:' : `Example ${name}:`, fenceCode(code, isText ? '' : 'json')]
  })
}

/** Renders an example as JSON; '' if it contains itself, which YAML aliases allow. */
function exampleJson(value: unknown): string {
  try {
    return JSON.stringify(value, null, 2) ?? ''
  } catch {
    return '' // JSON.stringify fails only for cyclic data.
  }
}
