module.exports = { ...require('../../jest.preset.cjs'), displayName: 'rate-window' };
