// The waveform strip: peaks of the clip's own sound, computed here from the bytes that play.

// Return `count` peaks from 0 to 1, or null when the clip has no sound that can be decoded.
export async function peaksOf(buffer, count) {
  let sound;
  try {
    sound = await new OfflineAudioContext(1, 1, 44100).decodeAudioData(buffer.slice(0));
  } catch {
    return null; // decodeAudioData says no more than this: there is no sound track, or none it knows
  }
  const peaks = new Float32Array(count);
  for (let channel = 0; channel < sound.numberOfChannels; channel += 1) {
    const samples = sound.getChannelData(channel);
    for (let n = 0; n < samples.length; n += 1) {
      const bin = Math.min(count - 1, Math.floor((n * count) / samples.length));
      peaks[bin] = Math.max(peaks[bin], Math.abs(samples[n]));
    }
  }
  return peaks;
}

// Draw peaks, and a tint over each of the `marked` ranges (fractions of the width).
export function drawWave(canvas, peaks, marked = []) {
  const scale = window.devicePixelRatio || 1;
  canvas.width = Math.max(1, Math.round(canvas.clientWidth * scale));
  canvas.height = Math.max(1, Math.round(canvas.clientHeight * scale));
  const { width, height } = canvas;
  const pen = canvas.getContext("2d");
  const style = getComputedStyle(canvas);
  pen.fillStyle = style.getPropertyValue("--accent-wash");
  for (const [start, end] of marked) pen.fillRect(start * width, 0, (end - start) * width, height);
  pen.fillStyle = style.color;
  const loudest = peaks ? Math.max(0.05, ...peaks) : 1;
  for (let n = 0; n < (peaks?.length ?? 0); n += 1) {
    const tall = Math.max(scale, (peaks[n] / loudest) * height * 0.9);
    pen.fillRect((n * width) / peaks.length, (height - tall) / 2, Math.max(1, width / peaks.length - scale), tall);
  }
}
