// The script of the lesson of a class: it shows what the student has done, with the key and the form of requests.js. The
// host serves this file unchanged.

const REFRESH_MS = 4000
const section = document.getElementById('progress')
const list = document.getElementById('exercises')
const failures = {
  200: '',
  404: 'Your store was deleted, or the class has ended. Ask your teacher.',
  other: 'The host does not respond. What you have done is kept.',
}
const stateTexts = { open: 'not started', tried: 'started', done: 'done' }
let shownText = ''
/** How many refreshes have begun, and which of them the page shows. */
let begun = 0
let shown = 0

async function refresh() {
  if (key === '') return askForKey('')
  const sentKey = key
  const number = ++begun
  const headers = { Authorization: `Bearer ${key}` }
  const { status, text } = await fetch(section.dataset.control, { headers })
    .then(async response => ({ status: response.status, text: await response.text() }))
    .catch(() => ({}))
  // A late response has an older state, or is about another key.
  if (number < shown || sentKey !== key) return
  shown = number
  if (status === 401) {
    // A wrong key is not sent again and again: the host limits them for the whole class.
    key = ''
    return askForKey('This is not the key of your sandbox.')
  }
  keyStatus.textContent = failures[status] ?? failures.other
  if (status !== 200) return
  keyForm.hidden = true
  if (text === shownText) return
  shownText = text
  list.replaceChildren(...JSON.parse(text).exercises.map(exerciseItem))
}

function exerciseItem({ title, state, met, of, hint }) {
  const item = document.createElement('li')
  item.className = state
  const parts = state === 'tried' ? `, ${met} of ${of} parts` : ''
  item.textContent = `${state === 'done' ? '✓ ' : ''}${title}: ${stateTexts[state]}${parts}`
  if (hint !== undefined) {
    const details = document.createElement('details')
    const summary = document.createElement('summary')
    summary.textContent = 'Hint'
    details.append(summary, hint)
    item.append(details)
  }
  return item
}

keyForm.addEventListener('submit', refresh)
refresh()
setInterval(refresh, REFRESH_MS)
