const axios = require('axios-0') // npm:axios@0.27
axios.defaults.adapter = require('@haverstack/axios-fetch-adapter').default
module.exports = axios
