import { isRecord } from '../../platform/json.ts'
import { notTextError, unreadableError } from '../decode.ts'
import { renderParameters, renderRequestBody, renderResponses } from './operation-text.ts'
import { resolveReference, scalarText, type JsonObject, type Spec } from './reference.ts'

/** A page of a web API description: its overview, or one of its operations. */
type OperationPage = { id: string; title: string; description: string | null; text: string }

/**
 * Maximum number of operations that are read; descriptions of large clouds have about a thousand.
 */
const operationLimit = 5000
/**
 * Maximum number of characters in all pages, because each operation repeats the schemas that it
 * refers to.
 */
const totalLimit = 32e6

const methods = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query']

/**
 * The pages of an OpenAPI 3 or Swagger 2 description: an overview with the list of operations, then
 * one page per operation, such as `GET /pets/{id}`. References are resolved within the file. Throws
 * OgError naming `path` (`not-text`) if the file is not such a description.
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
  // YAML files of other kinds may be large, and the YAML parser is slow.
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
    for (const [route, written] of Object.entries(paths)) {
      const item = resolveReference(spec, written)
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
    .flatMap(([name, written]) => {
      const scheme = resolveReference(spec, written)
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
