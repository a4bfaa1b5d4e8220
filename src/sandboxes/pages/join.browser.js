// The script of the page on which a student joins a class. It keeps a request without a response in its tab. The host
// serves this file unchanged.

import { byId, hostPath, Refusal, send } from './host.js'

const classId = location.pathname.split('/').at(-1)
const code = new URLSearchParams(location.hash.slice(1)).get('code') ?? ''
const NO_RESPONSE =
  'The host does not respond. Check your network, and try again: you get the same place, for ten minutes.'
/** The students who can be chosen, in the order of the list. */
let students = []
/** What this tab asked for without a response: the student, and the ticket with which the request can be repeated. */
const storedAs = `petstore-join-${classId}`
let asked = storedRequest()

/** Sends a request with the code. Throws Refusal. */
function ask(method, body) {
  return send(method, `/classes/${classId}/join`, { key: code, body })
}

/** Whether a refusal is about the request, so that repeating it is of no use. */
const isFinal = ({ status }) => status >= 400 && status < 500 && status !== 408 && status !== 429

function storedRequest() {
  try {
    return JSON.parse(sessionStorage.getItem(storedAs) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

function storeRequest(request) {
  asked = request
  try {
    if (request) sessionStorage.setItem(storedAs, JSON.stringify(request))
    else sessionStorage.removeItem(storedAs)
  } catch {
    // The browser stores nothing: the request is known until the page is left.
  }
}

function fullName({ name, identifier }) {
  return identifier === undefined ? name : `${name} (${identifier})`
}

async function showNames() {
  byId('again').hidden = true
  // A browser does not send another character.
  if (!/^[!-~]+$/.test(code))
    throw new Error('This link is not complete. Open the whole link, or scan its code again.')
  const invited = await ask('GET').catch(error => {
    byId('again').hidden = isFinal(error) || !byId('join').hidden
    throw error
  })
  // Meanwhile, the student has joined.
  if (!byId('card').hidden) return
  students = invited.students
  // The host may have given the name to this tab already.
  if (asked && !students.some(student => fullName(student) === fullName(asked.student)))
    students.push(asked.student)
  byId('title').textContent = `Join ${invited.name}`
  document.title = `Join ${invited.name} - Petstore`
  // A slow list must not undo a choice that was made meanwhile.
  const chosen = byId('names').selectedOptions[0]?.text
  byId('names').replaceChildren(
    new Option('', ''),
    ...students.map(
      (student, index) => new Option(fullName(student), index, false, fullName(student) === chosen),
    ),
  )
  byId('choice').hidden = students.length === 0
  byId('other').hidden = !invited.hasRoom
  byId('join').hidden = students.length === 0 && !invited.hasRoom
  if (byId('join').hidden) throw new Error('All names of this class are taken. Ask your teacher for a card.')
}

function showCard({ id, label, baseUrl, adminKey }) {
  const fragment = `#key=${encodeURIComponent(adminKey)}`
  byId('card-title').textContent = `The card of ${label}`
  byId('address').textContent = baseUrl
  byId('key').textContent = adminKey
  byId('print').href = `${hostPath}/sandboxes/${id}/print${fragment}`
  byId('lesson').href = `${baseUrl}/docs/guide/lesson${fragment}`
  byId('join').hidden = true
  byId('card').hidden = false
  byId('card-title').focus()
}

/** Runs a step, and shows why it failed. Returns whether it has not. */
async function attempt(step) {
  byId('error').hidden = true
  try {
    await step()
    return true
  } catch (error) {
    byId('error').textContent = error.message
    byId('error').hidden = false
    return false
  }
}

byId('join').addEventListener('submit', async event => {
  event.preventDefault()
  const typed = byId('typed').value.trim()
  const student = typed === '' ? students[byId('names').value] : { name: typed }
  await attempt(async () => {
    if (!student) throw new Error('Choose or type your name first.')
    if (window.confirm(`Are you ${fullName(student)}? A name can be taken only once.`))
      await join(student, event.submitter)
  })
})

function newTicket() {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, byte => byte.toString(16).padStart(2, '0')).join('')
}

async function join(student, button) {
  const isAgain = JSON.stringify(asked?.student) === JSON.stringify(student)
  if (!isAgain) storeRequest({ student, ticket: newTicket() })
  button.disabled = true
  button.textContent = 'Joining …'
  try {
    showCard(await ask('POST', { ...student, ticket: asked.ticket }))
    storeRequest(undefined)
  } catch (error) {
    if (isFinal(error)) {
      // With the next link, the ticket still gets the place of a request whose response was lost.
      if (error.status !== 401) storeRequest(undefined)
      // Somebody else may have taken the name.
      showNames().catch(() => {})
    }
    throw error.status === undefined ? new Refusal(NO_RESPONSE) : error
  } finally {
    button.disabled = false
    button.textContent = 'Join'
  }
}
byId('again').addEventListener('click', () => attempt(showNames))
attempt(showNames)
