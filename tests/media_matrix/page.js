// Looks at a clip as Chromium plays it. Frames are read by seeking, so a busy machine only makes that slower; when the
// tone begins is read while it plays, on the clock of the sound itself.
const PAINT_MS = 250;
const PATIENCE_MS = 60000;
const LISTENER = `registerProcessor("listener", class extends AudioWorkletProcessor {
  process([input]) {
    const heard = input[0]?.findIndex((sample) => Math.abs(sample) > 0.1) ?? -1;
    if (heard >= 0) this.port.postMessage((currentFrame + heard) / sampleRate);
    return true;
  }
});`;

const once = (target, event) => new Promise((resolve, reject) => {
  target.addEventListener(event, resolve, { once: true });
  target.addEventListener("error", () => reject(new Error(target.error?.message ?? "error")), { once: true });
});

let sound;
async function soundClock() {
  sound ??= (async () => {
    const context = new AudioContext({ sampleRate: 48000 });
    const module = URL.createObjectURL(new Blob([LISTENER], { type: "text/javascript" }));
    await context.audioWorklet.addModule(module);
    await context.resume();
    return context;
  })();
  return sound;
}

async function opened(data) {
  const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
  const video = document.createElement("video");
  video.preload = "auto";
  video.src = URL.createObjectURL(new Blob([bytes]));
  document.body.append(video);
  await once(video, "loadeddata");
  return video;
}

function picture(video) {
  const canvas = document.createElement("canvas");
  canvas.width = video.videoWidth;
  canvas.height = video.videoHeight;
  const brush = canvas.getContext("2d", { willReadFrequently: true });
  brush.drawImage(video, 0, 0, canvas.width, canvas.height);
  return brush;
}

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

// A frame that is shown already is not painted again, so there is an end to the wait.
const painted = (video) =>
  Promise.race([new Promise((resolve) => video.requestVideoFrameCallback(resolve)), pause(PAINT_MS)]);

async function seen(video, moment) {
  const arrived = Promise.all([once(video, "seeked"), painted(video)]);
  video.currentTime = moment;
  await arrived;
  const brush = picture(video);
  return base64(brush.getImageData(0, 0, brush.canvas.width, brush.canvas.height).data);
}

function base64(bytes) {
  let letters = "";
  for (let at = 0; at < bytes.length; at += 8192) letters += String.fromCharCode(...bytes.subarray(at, at + 8192));
  return btoa(letters);
}

// Returns when the tone begins on the video's clock (s), and how far that clock and the sound's drifted around it: on a
// busy machine one of the two stalls.
async function beep(video) {
  const context = await soundClock();
  const node = context.createMediaElementSource(video);
  const listener = new AudioWorkletNode(context, "listener");
  const heard = [];
  const pairs = [];
  listener.port.onmessage = ({ data }) => heard.push(data);
  node.connect(listener);
  video.currentTime = 0;
  const note = () => video.currentTime > 0 && !video.ended && pairs.push([context.currentTime, video.currentTime]);
  const timer = setInterval(note, 5);
  const over = once(video, "ended");
  await video.play();
  await over;
  clearInterval(timer);
  node.disconnect();
  if (!heard.length) return null;
  pairs.sort((a, b) => Math.abs(a[0] - heard[0]) - Math.abs(b[0] - heard[0]));
  const ahead = pairs.slice(0, 15).map(([sound, picture]) => picture - sound).sort((a, b) => a - b);
  return { at: heard[0] + ahead[ahead.length >> 1], drift: ahead.at(-1) - ahead[0] };
}

async function watch(data, moments) {
  const video = await opened(data);
  const address = video.src;
  try {
    const frames = [];
    if (video.videoWidth) for (const moment of moments) frames.push(await seen(video, moment));
    return { size: [video.videoWidth, video.videoHeight], frames, beep: await beep(video) };
  } finally {
    video.removeAttribute("src"); // a page may have so many players only
    video.load();
    video.remove();
    URL.revokeObjectURL(address);
  }
}

const late = () => pause(PATIENCE_MS).then(() => ({ error: "did not play to its end in a minute" }));

window.watchAll = (clips) => Promise.all(clips.map(([data, moments]) =>
  Promise.race([watch(data, moments), late()]).catch((error) => ({ error: String(error) }))));
